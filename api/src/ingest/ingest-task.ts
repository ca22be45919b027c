/** Ingests of one task what its folder holds and the tables do not, and ends its row with its results (K8S-27). */

import { INGESTED_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { tellTask } from '../live/events.ts';
import { readFrozen, sha256Of } from '../outbox/frozen-files.ts';
import { enqueueIntent } from '../outbox/intent.ts';
import { writeAnnotation } from './annotation-part.ts';
import { type IngestTask, ingestPart, type PartOutcome, readStepResult, taskFolder } from './part.ts';
import { writeQc } from './qc-part.ts';
import { writeReads } from './reads-part.ts';
import { writeVariants } from './variants-part.ts';

export interface IngestDeps {
  db: Knex;
  storageDir: string;
  now: () => Date;
}

interface SampleRow {
  idx: number;
  name: string;
  qc_type: string;
  files: { sha256?: string }[];
  failure: unknown;
}

/** True when another replica was at a part: come back soon. */
export async function ingestTask({ db, storageDir, now }: IngestDeps, taskId: string): Promise<boolean> {
  const task: IngestTask & { genome: string } = await db('task').where({ id: taskId }).first();
  if (!task) return false;
  const folder = taskFolder(storageDir, task.id);
  const samples: SampleRow[] = await db('task_sample')
    .where({ task_id: task.id })
    .orderBy('idx')
    .select('idx', 'name', 'qc_type', 'files', 'failure');
  const parts = new Map<string, string>(
    (await db('ingest').where({ task_id: task.id })).map(({ part, fingerprint }) => [part, fingerprint]),
  );
  const final = task.phase === 'Completed' || task.phase === 'Failed';
  let busy = false;
  let wrote = false;
  const done = (part: string, fingerprint: string, outcome: PartOutcome): void => {
    if (outcome === 'busy') busy = true;
    else parts.set(part, fingerprint);
    if (outcome === 'done') wrote = true;
  };
  /** A part that is in is looked at again only at the end, when no folder changes any more. */
  const due = async (part: string, step: string, sample?: string): Promise<string | undefined> => {
    if (parts.has(part) && !final) return undefined;
    const result = await readStepResult(folder, stepDir(step, sample));
    return result && result.fingerprint !== parts.get(part) ? result.fingerprint : undefined;
  };

  for (const { idx, name } of samples) {
    const part = `reads:${name}`;
    const fingerprint = await due(part, 'reads', name);
    if (!fingerprint) continue;
    done(
      part,
      fingerprint,
      await ingestPart(db, task, part, fingerprint, folder, now(), (context) => writeReads(context, idx, name)),
    );
    if (wrote) await tellTask(db, { task: task.id, group: task.group_id });
  }

  const filtered = await readStepResult(folder, stepDir('post-filter'));
  if (filtered) {
    const frozen = await readInputs(db, task);
    const annotated = await readStepResult(folder, stepDir('annotation'));
    const fingerprint = annotated?.fingerprint ?? filtered.fingerprint;
    if (parts.get('annotation') !== fingerprint) {
      const write = (context: Parameters<typeof writeAnnotation>[0]) =>
        writeAnnotation(context, frozen.genome, frozen.transcripts).then(() => {});
      done('annotation', fingerprint, await ingestPart(db, task, 'annotation', fingerprint, folder, now(), write));
    }
    const { bundle } = await db('task').where({ id: task.id }).first('bundle');
    for (const sample of bundle === null ? [] : samples) {
      const part = `variants:${sample.name}`;
      const called = await readStepResult(folder, stepDir('call', sample.name));
      // Calls and bits together are one part: either may be made anew.
      const key = called && sha256Of(`${called.fingerprint}/${filtered.fingerprint}/${fingerprint}`).slice(0, 32);
      if (!key || parts.get(part) === key) continue;
      const input = {
        ...frozen,
        bundle,
        idx: sample.idx,
        name: sample.name,
        qcType: sample.qc_type,
        inputs: sample.files.flatMap(({ sha256 }) => (sha256 ? [sha256] : [])),
      };
      done(part, key, await ingestPart(db, task, part, key, folder, now(), (context) => writeVariants(context, input)));
      if (wrote) await tellTask(db, { task: task.id, group: task.group_id });
    }
  }

  const qc = await due('qc', 'qc');
  if (qc) {
    const indexes = new Map(samples.map(({ name, idx }) => [name, idx]));
    done('qc', qc, await ingestPart(db, task, 'qc', qc, folder, now(), (context) => writeQc(context, indexes)));
  }
  if (wrote) await tellTask(db, { task: task.id, group: task.group_id });
  if (task.phase === 'Completed' && !busy) await complete(db, task, parts, now());
  return busy;
}

/** The row becomes completed when every part is in; the resource is told in the same transaction. */
async function complete(db: Knex, task: IngestTask, parts: ReadonlyMap<string, string>, now: Date): Promise<void> {
  const fingerprint = sha256Of(
    [...parts]
      .map(([part, key]) => `${part} ${key}`)
      .sort()
      .join('\n'),
  ).slice(0, 32);
  await db.transaction(async (trx) => {
    const changed = await trx('task')
      .where({ id: task.id })
      .whereIn('status', ['queued', 'starting', 'running'])
      .update({
        status: 'completed',
        stage: 'report',
        stage_number: 5,
        reason: null,
        ingested: fingerprint,
        finished: trx.raw("coalesce((mirror->>'finished')::timestamptz, ?)", [now]),
      });
    if (changed === 0) return;
    if (!task.vanished) {
      const patch = { metadata: { annotations: { [INGESTED_ANNOTATION]: fingerprint } } };
      await enqueueIntent(trx, { type: 'patch', kind: 'AnalysisTask', name: task.id, patch }, now);
    }
    await tellTask(trx, { task: task.id, group: task.group_id });
  });
}

/** What the ingest needs of the frozen files; a task made with kubectl has them on storage only, and defaults do. */
async function readInputs(db: Knex, task: IngestTask & { genome: string }) {
  const read = async <T>(name: string): Promise<Partial<T>> =>
    JSON.parse((await readFrozen(db, task.frozen, name))?.toString() ?? '{}') as Partial<T>;
  const panel = await read<PanelFile>('panel.json');
  const preset = await read<Preset>('preset.json');
  const genome = await read<{ value: string; contigs: { name: string }[] }>('genome.json');
  const parameter = (key: string, fallback: number): number => {
    const chosen = preset.parameters?.useDefault === false ? preset.parameters.values[key] : undefined;
    const value = chosen ?? panel.parameters?.find((definition) => definition.key === key)?.default;
    return typeof value === 'number' ? value : fallback;
  };
  return {
    genome: genome.value ?? task.genome,
    transcripts: panel.transcripts ?? {},
    contigs: new Map((genome.contigs ?? []).map(({ name }, i) => [name, i])),
    reportFloor: parameter('report_floor', 0.02),
    minDepth: parameter('min_depth', 50),
  };
}
