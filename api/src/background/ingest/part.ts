/** One part of a task's results. It is written once per fingerprint, by one replica, in one transaction. */

import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { taskDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { isMissing, placeIn, readText, type StoragePlace } from '../../storage/inside-storage.ts';

/** Input of every part: the task's row and the place of its files. */
export interface PartContext {
  trx: Knex.Transaction;
  task: IngestTask;
  /** Folder of the task. */
  folder: StoragePlace;
  now: Date;
}

export interface IngestTask {
  id: string;
  group_id: string | null;
  panel_value: string;
  phase: string | null;
  vanished: boolean;
  bundle: string | null;
  frozen: Record<string, { sha256: string; size: number }>;
  resource_name: string | null;
}

export type PartOutcome = 'done' | 'before' | 'busy';

/** A task's folder is named after its resource. */
export const taskFolder = (storageDir: string, task: { id: string; resource_name: string | null }): StoragePlace =>
  placeIn(storageDir, taskDir(task.resource_name ?? task.id));

/** Reads result.json of a step's folder. Returns undefined while the step is running. */
export async function readStepResult(folder: StoragePlace, step: string): Promise<StepResult | undefined> {
  try {
    return JSON.parse(await readText(folder.at(step, 'result.json'))) as StepResult;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * Runs `write` unless this fingerprint of the part is already stored (`before`) or another replica is writing the part
 * (`busy`). `write` replaces the rows of an earlier fingerprint.
 */
export async function ingestPart(
  db: Knex,
  task: IngestTask,
  part: string,
  fingerprint: string,
  folder: StoragePlace,
  now: Date,
  write: (context: PartContext) => Promise<void>,
): Promise<PartOutcome> {
  return await db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: { locked: boolean }[] }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0)) AS locked',
      [`${task.id}/${part}`],
    );
    if (!rows[0]?.locked) return 'busy';
    const known = await trx('ingest').where({ task_id: task.id, part }).first('fingerprint');
    if (known?.fingerprint === fingerprint) return 'before';
    await write({ trx, task, folder, now });
    await trx('ingest')
      .insert({ task_id: task.id, part, fingerprint, done: now })
      .onConflict(['task_id', 'part'])
      .merge();
    return 'done';
  });
}
