/** Part 2b, written atomically per sample after post-filter: calls with their flags, and observations. */

import { TRACE, traceFile } from '@seqpanel/crds/outputs/post-filter.ts';
import { callDir, POST_FILTER_DIR } from '@seqpanel/crds/storage.ts';
import { valuesFrom } from '@seqpanel/crds/variant-columns.ts';
import type { StoragePlace } from '../../storage/inside-storage.ts';
import { type CopyValue, copyRows } from './copy-rows.ts';
import { type ObservedSample, writeObservations } from './observations.ts';
import type { PartContext } from './part.ts';
import { linesOf, optionalRowsOf } from './read-table.ts';
import { type CallRow, parseCall } from './vcf-call.ts';

export interface VariantsInput extends ObservedSample {
  bundle: string;
  /** Contig numbers by name, in the order of the genome. */
  contigs: ReadonlyMap<string, number>;
  /** Lowest reported allele frequency of the preset. */
  reportFloor: number;
}

/** Columns that `call` takes as the caller's file has them. */
const OWN_COLUMNS = ['task_id', 'sample_idx', 'allele_key', 'chrom_order', ...valuesFrom('call')];
const COLUMNS = [...OWN_COLUMNS, 'kept', 'genotype', 'info'];

export async function writeVariants({ trx, task, folder, now }: PartContext, input: VariantsInput): Promise<void> {
  const key = { task_id: task.id, sample_idx: input.idx };
  await trx('call').where(key).delete();
  await trx('call_evidence').where(key).delete();
  await useTemporaryTables(trx);
  const counts = { all: 0, called: 0 };
  const calls = folder.at(callDir(input.name), 'calls.vcf.gz');
  await copyRows(trx, 'new_call', COLUMNS, callRows(calls, task.id, input, counts));
  const traced = await copyRows(
    trx,
    'new_trace',
    ['allele_key', 'post_group', 'pass', 'trace'],
    traceRows(folder.at(POST_FILTER_DIR, traceFile(input.name))),
  );
  // Without ANALYZE the planner expects a few hundred rows, which is right for most samples.
  if (counts.all > ROWS_TO_ANALYZE) await trx.raw('ANALYZE new_call');
  await trx.raw(
    `INSERT INTO call (${[...OWN_COLUMNS, ...Object.keys(ANNOTATED)].join(', ')}, kept, post_group)
     SELECT ${[...OWN_COLUMNS.map((name) => `c.${name}`), ...Object.values(ANNOTATED)].join(', ')},
       c.called AND coalesce(t.pass, :untraced), t.post_group
     FROM new_call c
     LEFT JOIN new_trace t USING (allele_key)
     LEFT JOIN allele_annotation a ON a.allele_key = c.allele_key AND a.bundle = :bundle
     LEFT JOIN consequence q ON q.allele_key = c.allele_key AND q.bundle = :bundle AND q.ord = 0`,
    // Without rows in the trace nothing was filtered.
    { bundle: input.bundle, untraced: traced === 0 },
  );
  await trx.raw(
    `INSERT INTO call_evidence (task_id, sample_idx, allele_key, genotype, trace, info)
     SELECT c.task_id, c.sample_idx, c.allele_key, c.genotype, t.trace, c.info
     FROM new_call c LEFT JOIN new_trace t USING (allele_key)`,
  );
  const {
    rows: [written],
  } = await trx.raw<{ rows: [{ n: number; kept: number }] }>(
    'SELECT count(*) AS n, count(*) FILTER (WHERE kept) AS kept FROM call WHERE task_id = ? AND sample_idx = ?',
    [task.id, input.idx],
  );
  await trx('task_sample').where({ task_id: task.id, idx: input.idx }).update({
    variants_ready: true,
    variants_all: counts.all,
    variants_called: counts.called,
    variants_ingested: written.n,
    variants_kept: written.kept,
  });
  await writeObservations({ trx, task, now }, input);
}

const ROWS_TO_ANALYZE = 1_000;

/**
 * Created once per connection: creating and dropping them for each sample took longer than inserting the rows of most
 * samples.
 */
async function useTemporaryTables(trx: PartContext['trx']): Promise<void> {
  const { rows } = await trx.raw<{ rows: [{ there: boolean }] }>(
    "SELECT to_regclass('pg_temp.new_trace') IS NOT NULL AS there",
  );
  if (rows[0].there) return;
  await trx.raw(`
    CREATE TEMP TABLE new_call (LIKE call INCLUDING DEFAULTS) ON COMMIT DELETE ROWS;
    ALTER TABLE new_call ADD COLUMN genotype text, ADD COLUMN info jsonb;
    CREATE TEMP TABLE new_trace (allele_key text, post_group text, pass boolean, trace text) ON COMMIT DELETE ROWS`);
}

/** Annotated columns and their expressions: `a` is the annotation of the allele, `q` its first consequence. */
const ANNOTATED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(valuesFrom('allele').map((name) => [name, `a.${name}`])),
  ...Object.fromEntries(valuesFrom('transcript').map((name) => [name, `q.${name}`])),
  transcripts: '(SELECT count(*) FROM consequence x WHERE x.allele_key = c.allele_key AND x.bundle = :bundle)',
  impact_order: "coalesce(array_position(ARRAY['MODIFIER','LOW','MODERATE','HIGH'], q.impact), 0)",
};

/** Yields calls from half the reporting floor up, hotspots, and every call that passed. The others stay in the file. */
async function* callRows(
  file: StoragePlace,
  taskId: string,
  { idx, contigs, reportFloor }: VariantsInput,
  counts: { all: number; called: number },
): AsyncGenerator<CopyValue[]> {
  for await (const line of linesOf(file)) {
    const call = parseCall(line);
    if (!call) continue;
    const called = call.filter.length === 0;
    counts.all++;
    if (called) counts.called++;
    if (!called && !call.hotspot && (call.vaf ?? 0) < reportFloor / 2) continue;
    const own: Record<string, CopyValue> = {
      task_id: taskId,
      sample_idx: idx,
      chrom_order: contigs.get(call.chrom) ?? contigs.size,
      called,
      kept: false,
    };
    yield COLUMNS.map((name) => (name in own ? own[name] : call[name as keyof CallRow]));
  }
}

async function* traceRows(file: StoragePlace): AsyncGenerator<CopyValue[]> {
  const [keyColumn, group, pass, bits, missing] = TRACE.columns.map(([name]) => name) as [
    string,
    string,
    string,
    string,
    string,
  ];
  for await (const row of optionalRowsOf(file)) {
    const trace = row.text(bits) === null ? null : `${row.text(bits)}/${row.text(missing) ?? ''}`;
    yield [row.text(keyColumn), row.text(group), row.text(pass) === '1', trace];
  }
}
