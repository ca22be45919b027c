/**
 * Ingests the results of one task that are in its folder and not yet in the tables, then completes its row [K8S-27].
 */

import { type AnalysisTaskStatus, INGESTED_ANNOTATION } from '@seqpanel/crds/kinds.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { type ParameterKey, type ParameterValue, parameterValue } from '@seqpanel/crds/parameters.ts';
import type { Preset } from '@seqpanel/crds/preset.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import { OPEN_STATUSES } from '@seqpanel/crds/task-status.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import { notifyTask } from '../../live/events.ts';
import { enqueueIntent } from '../../outbox/intent.ts';
import { readFrozenJson, sha256Of } from '../../storage/frozen-files.ts';
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
  /**
   * Called when all parts of a completed task are ingested, before its row becomes completed. Returns the size of its
   * outputs in bytes.
   */
  beforeEnd?: () => Promise<number>;
}

interface SampleRow {
  idx: number;
  name: string;
  qc_type: string;
  files: { sha256?: string }[];
  failure: unknown;
}

/** Shortest time between two events about new results of a task. */
const NOTIFY_MS = 500;

export interface IngestOutcome {
  /** Another process was writing a part. */
  busy: boolean;
  /** The status reports results that storage does not show yet. A file server may show them late. */
  missing: boolean;
}

type Row = IngestTask & { genome: string; mirror: AnalysisTaskStatus };

/** Tries every part, then throws the error of the first that failed. */
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
  let notifiedAt = 0;
  let isNotified = true;
  const notify = async (): Promise<void> => {
    isNotified = true;
    await notifyTask(db, { task: task.id, group: task.group_id });
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
      isNotified = false;
      if (now().getTime() - notifiedAt < NOTIFY_MS) return;
      notifiedAt = now().getTime();
      await notify();
    } catch (error) {
      errors.push(error);
    }
  };
  /**
   * Returns the fingerprint of a step's result if its part is due. Ingested parts are checked again only at the end,
   * when the folder no longer changes.
   */
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
  if (!isNotified) await notify();
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

/** Ingests the annotation once, then the calls of each sample, which need it. */
async function ingestVariants({ db, task, folder, samples, parts, final, due, write }: VariantsInput): Promise<void> {
  const open = samples.filter(({ name }) => final || !parts.has(`variants:${name}`));
  if (open.length === 0 && parts.has('annotation')) return;
  // No part has this name, so the result is read until every sample is ingested.
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
    // Calls and post-filter flags form one part, because either file may be replaced.
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

/** Completes the row when every part is ingested, and queues the patch of the resource in the same transaction. */
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
      .whereIn('status', OPEN_STATUSES)
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
    await notifyTask(trx, { task: task.id, group: task.group_id });
  });
}

/**
 * Reads from the frozen files what ingest needs. A task made with kubectl has none in the database and gets defaults.
 */
async function readInputs(db: Knex, task: IngestTask & { genome: string }) {
  const panel = await readFrozenJson<PanelFile>(db, task.frozen, 'panel.json');
  const preset = await readFrozenJson<Preset>(db, task.frozen, 'preset.json');
  const genome = await readFrozenJson<{ value: string; contigs: { name: string }[] }>(db, task.frozen, 'genome.json');
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
