/**
 * Ingests the results of one task that are in its folder and not yet in the tables, then completes its row [K8S-27].
 */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { stepDir } from '@seqpanel/crds/storage.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import { notifyTask } from '../../live/events.ts';
import { completeTask } from './complete-task.ts';
import { finishedParts } from './finished-parts.ts';
import { ingestVariants, type SampleRow } from './ingest-variants.ts';
import { type IngestTask, ingestPart, type PartContext, readStepResult, taskFolder } from './part.ts';
import { writeQc } from './qc-part.ts';
import { writeReads } from './reads-part.ts';

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

/** Shortest time between two events about new results of a task. */
const NOTIFY_MS = 500;

export interface IngestOutcome {
  /** Another process was writing a part. */
  busy: boolean;
  /** The status reports results that storage does not show yet. A file server may show them late. */
  missing: boolean;
}

/** Tries every part, then throws the error of the first that failed. */
export async function ingestTask(deps: IngestDeps, taskId: string): Promise<IngestOutcome> {
  const { db, storageDir, now } = deps;
  const task: (IngestTask & { genome: string; mirror: AnalysisTaskStatus }) | undefined = await db('task')
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
    await completeTask(db, task, parts, bytes, now());
  }
  return outcome;
}

const isNamed = (status: AnalysisTaskStatus, name: string): boolean =>
  stepsOf(status).some(({ step }) => step.name === name);
