/** Records the calls of each specimen and their counts. They outlive the task and count a rerun once. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { PartContext } from './part.ts';

export interface ObservedSample {
  idx: number;
  name: string;
  qcType: string;
  /** SHA-256 of the input files. Empty for a task made with kubectl. */
  inputs: readonly string[];
  minDepth: number;
}

interface Place {
  group_id: string;
  panel_value: string;
}

/**
 * Skips controls, because a control says nothing about the laboratory's population. Must be the last
 * write of its transaction: samples of a panel update the same counter rows, in the same order.
 */
export async function writeObservations(
  { trx, task, now }: Omit<PartContext, 'folder'>,
  input: ObservedSample,
): Promise<void> {
  if (!task.group_id || input.qcType !== 'Sample' || input.inputs.length === 0) return;
  const place = { group_id: task.group_id, panel_value: task.panel_value };
  const specimen = createHash('sha256')
    .update([...input.inputs].sort().join('\n'))
    .digest('hex')
    .slice(0, 32);
  const depth = await trx('sample_depth').where({ task_id: task.id, sample_idx: input.idx }).first('amplicons');
  const callable = depth ? callableMask(depth.amplicons, input.minDepth) : null;
  const row = { ...place, specimen, sample_name: input.name, task_id: task.id, created: now, callable };
  const [{ id, is_new }] = (await trx('observed_specimen')
    .insert(row)
    .onConflict(['group_id', 'panel_value', 'specimen'])
    .merge()
    // xmax is 0 for an inserted row and not for an updated one.
    .returning(['id', trx.raw('(xmax = 0) AS is_new') as never])) as [{ id: number; is_new: boolean }];
  await observe(trx, place, { id, taskId: task.id, idx: input.idx });
  if (is_new) await addTo(trx, 'specimen_count', place);
}

/** Replaces the observations of the specimen and updates the counts by the difference. */
async function observe(
  trx: Knex.Transaction,
  place: Place,
  { id, taskId, idx }: { id: number; taskId: string; idx: number },
): Promise<void> {
  await trx.raw(
    `WITH called AS (
       SELECT allele_key, vaf, depth FROM call WHERE task_id = :taskId AND sample_idx = :idx AND called
     ), gone AS (
       DELETE FROM observed_allele o WHERE specimen_id = :id
         AND NOT EXISTS (SELECT FROM called WHERE called.allele_key = o.allele_key)
       RETURNING allele_key
     ), written AS (
       INSERT INTO observed_allele (specimen_id, allele_key, vaf, depth) SELECT :id, allele_key, vaf, depth FROM called
       ON CONFLICT (specimen_id, allele_key) DO UPDATE SET vaf = EXCLUDED.vaf, depth = EXCLUDED.depth
       RETURNING allele_key, (xmax = 0) AS is_new
     ), change AS (
       SELECT allele_key, -1 AS n FROM gone UNION ALL SELECT allele_key, 1 FROM written WHERE is_new
     )
     INSERT INTO allele_count (group_id, panel_value, allele_key, n)
       SELECT :group_id, :panel_value, allele_key, n FROM change ORDER BY allele_key
     ON CONFLICT (group_id, panel_value, allele_key) DO UPDATE SET n = allele_count.n + EXCLUDED.n`,
    { ...place, id, taskId, idx },
  );
}

const addTo = (trx: Knex.Transaction, table: 'specimen_count', place: Place) =>
  trx(table)
    .insert({ ...place, n: 1 })
    .onConflict(['group_id', 'panel_value'])
    .merge({ n: trx.raw(`${table}.n + 1`) });

/** One bit per amplicon. The first amplicon is the lowest bit of the first byte. */
export function callableMask(depths: Buffer, minDepth: number): Buffer {
  const count = depths.length / 4;
  const mask = Buffer.alloc(Math.ceil(count / 8));
  for (let i = 0; i < count; i++) {
    const depth = depths.readUInt32LE(i * 4);
    if (depth !== 0xffffffff && depth >= minDepth) mask[i >> 3]! |= 1 << (i & 7);
  }
  return mask;
}
