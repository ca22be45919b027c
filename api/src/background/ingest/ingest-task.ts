/** Ingests of one task what its folder holds and the tables do not, and ends its row with its results (K8S-27). */

import { type AnalysisTaskStatus, INGESTED_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { type ParameterKey, type ParameterValue, parameterValue } from '@seqpanel/crds/parameters.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import { tellTask } from '../../live/events.ts';
import { enqueueIntent } from '../../outbox/intent.ts';
import { readFrozen, sha256Of } from '../../storage/frozen-files.ts';
import type { StoragePlace } from '../../storage/inside-storage.ts';
import { writeAnnotation } from './annotation-part.ts';
import { finishedParts } from './finished-parts.ts';
import { type IngestTask, ingestPart, type PartContext, readStepResult, taskFolder } from './part.ts';
import { writeQc } from './qc-part.ts';
import { writeReads } from './reads-part.ts';
import { writeVariants } from './variants-part.ts';

export interface IngestDeps {
  db: Knex;
  storageDir: string;
  now: () => Date;
  /** When all parts of a completed task are in, before its row says so; answers what its outputs occupy, bytes. */
  beforeEnd?: () => Promise<number>;
}

interface SampleRow {
  idx: number;
  name: string;
  qc_type: string;
  files: { sha256?: string }[];
  failure: unknown;
}

/** Whoever looks at the task hears of new results at most so often. */
const TELL_MS = 500;

export interface IngestOutcome {
  /** Another process was at a part. */
  busy: boolean;
  /** Results that the status tells of cannot be seen on storage yet: a file server may show them late. */
  missing: boolean;
}

type Row = IngestTask & { genome: string; mirror: AnalysisTaskStatus };

/** Throws the first part's error after all others were tried. */
export async function ingestTask(deps: IngestDeps, taskId: string): Promise<IngestOutcome> {
  const { db, storageDir, now } = deps;
  const task: Row | undefined = await db('task')
    .where({ id: taskId })
    .first(
      'id',
      'group_id',
      'panel_value',
      'phase',
      'vanished',
      'bundle',
      'frozen',
      'genome',
      'mirror',
      'resource_name',
    );
  if (!task) return { busy: false, missing: false };
  const folder = taskFolder(storageDir, task);
  const samples: SampleRow[] = await db('task_sample')
    .where({ task_id: task.id })
    .orderBy('idx')
    .select('idx', 'name', 'qc_type', 'files', 'failure');
  const parts = new Map<string, string>(
    (await db('ingest').where({ task_id: task.id })).map(({ part, fingerprint }) => [part, fingerprint]),
  );
  const final = task.phase === 'Completed' || task.phase === 'Failed';
  const finished = finishedParts(task.mirror, final);
  const outcome: IngestOutcome = { busy: false, missing: false };
  const errors: unknown[] = [];
  let toldAt = 0;
  let isTold = true;
  const tell = async (): Promise<void> => {
    isTold = true;
    await tellTask(db, { task: task.id, group: task.group_id });
  };
  const write = async (
    part: string,
    fingerprint: string,
    work: (context: PartContext) => Promise<void>,
  ): Promise<void> => {
    try {
      const result = await ingestPart(db, task, part, fingerprint, folder, now(), work);
      if (result === 'busy') outcome.busy = true;
      else parts.set(part, fingerprint);
      if (result !== 'done') return;
      isTold = false;
      if (now().getTime() - toldAt < TELL_MS) return;
      toldAt = now().getTime();
      await tell();
    } catch (error) {
      errors.push(error);
    }
  };
  /** Fingerprint of a step's result. A part that is in is looked at again only at the end, when no folder changes any more. */
  const due = async (part: string, step: string, sample?: SampleRow): Promise<string | undefined> => {
    if (!finished.has(step, sample?.idx) || (parts.has(part) && !final)) return undefined;
    const result = await readStepResult(folder, stepDir(step, sample?.name)).catch((error: unknown) => {
      errors.push(error);
      return undefined;
    });
    if (!result && !final && !sample?.failure && isNamed(task.mirror, step)) outcome.missing = true;
    return result?.fingerprint;
  };

  for (const sample of samples) {
    const part = `reads:${sample.name}`;
    const fingerprint = await due(part, 'reads', sample);
    if (fingerprint && fingerprint !== parts.get(part))
      await write(part, fingerprint, (context) => writeReads(context, sample.idx, sample.name));
  }
  await ingestVariants({ db, task, folder, samples, parts, final, due, write });
  const qc = await due('qc', 'qc');
  if (qc && qc !== parts.get('qc')) {
    const indexes = new Map(samples.map(({ name, idx }) => [name, idx]));
    await write('qc', qc, (context) => writeQc(context, indexes));
  }
  if (!isTold) await tell();
  if (errors.length > 0) throw errors[0];
  if (task.phase === 'Completed' && !outcome.busy) {
    const bytes = await deps.beforeEnd?.();
    await complete(db, task, parts, bytes, now());
  }
  return outcome;
}

const isNamed = (status: AnalysisTaskStatus, name: string): boolean =>
  stepsOf(status).some(({ step }) => step.name === name);

interface VariantsInput {
  db: Knex;
  task: Row;
  folder: StoragePlace;
  samples: readonly SampleRow[];
  parts: ReadonlyMap<string, string>;
  final: boolean;
  due(part: string, step: string, sample?: SampleRow): Promise<string | undefined>;
  write(part: string, fingerprint: string, work: (context: PartContext) => Promise<void>): Promise<void>;
}

/** The annotation once, then each sample's calls, which need it. */
async function ingestVariants({ db, task, folder, samples, parts, final, due, write }: VariantsInput): Promise<void> {
  const open = samples.filter(({ name }) => final || !parts.has(`variants:${name}`));
  if (open.length === 0 && parts.has('annotation')) return;
  // Under a name that no part has: it is read until every sample is in.
  const filtered = await due('post-filter', 'post-filter');
  if (!filtered) return;
  const frozen = await readInputs(db, task);
  const fingerprint = (await readStepResult(folder, stepDir('annotation')))?.fingerprint ?? filtered;
  if (parts.get('annotation') !== fingerprint)
    await write('annotation', fingerprint, (context) =>
      writeAnnotation(context, frozen.genome, frozen.transcripts).then(() => {}),
    );
  const bundle = (await db('task').where({ id: task.id }).first('bundle'))?.bundle ?? null;
  if (bundle === null) return;
  for (const sample of open) {
    const part = `variants:${sample.name}`;
    const called = await due(part, 'call', sample);
    // Calls and bits together are one part: either may be made anew.
    const key = called && sha256Of(`${called}/${filtered}/${fingerprint}`).slice(0, 32);
    if (!key || parts.get(part) === key) continue;
    const input = {
      ...frozen,
      bundle,
      idx: sample.idx,
      name: sample.name,
      qcType: sample.qc_type,
      inputs: sample.files.flatMap(({ sha256 }) => (sha256 ? [sha256] : [])),
    };
    await write(part, key, (context) => writeVariants(context, input));
  }
}

/** The row becomes completed when every part is in; the resource is told in the same transaction. */
async function complete(
  db: Knex,
  task: IngestTask,
  parts: ReadonlyMap<string, string>,
  bytes: number | undefined,
  now: Date,
): Promise<void> {
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
        ...(bytes !== undefined && { output_bytes: bytes }),
        finished: trx.raw("coalesce((mirror->>'finished')::timestamptz, ?)", [now]),
      });
    if (changed === 0) return;
    if (!task.vanished) {
      const patch = { metadata: { annotations: { [INGESTED_ANNOTATION]: fingerprint } } };
      const name = task.resource_name ?? task.id;
      await enqueueIntent(trx, { type: 'patch', kind: 'AnalysisTask', name, patch }, now, task.group_id);
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
  const { parameters: shipped = [] } = panel;
  const { parameters: chosen = { useDefault: true, values: {} } } = preset;
  const parameter = <Key extends ParameterKey>(key: Key): ParameterValue<Key> =>
    parameterValue(key, { parameters: shipped }, { parameters: chosen });
  return {
    genome: genome.value ?? task.genome,
    transcripts: panel.transcripts ?? {},
    contigs: new Map((genome.contigs ?? []).map(({ name }, i) => [name, i])),
    reportFloor: parameter('report_floor'),
    minDepth: parameter('min_depth'),
  };
}
