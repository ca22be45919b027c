/** One task result with what storage has of it: result.json and the tail of the log. */

import { basename } from 'node:path';
import { logFile, stepDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';
import { readText, type StoragePlace } from '../storage/inside-storage.ts';
import { tailOf } from '../tasks/log-tail.ts';
import { folderNameOf, folderOf } from '../tasks/task-files.ts';
import { isOfSamples, readResult, resultRowOf } from './result-rows.ts';

export type TaskResultDetail = AnswerOf<'getAnyTaskResult'>;

/** Lines of the log that a task result carries. */
const LOG_LINES = 100;
const LOG_BYTES = 256 * 1024;

/** Throws NotFound for an id or a sample that does not exist. */
export async function readResultDetail(
  db: Knex,
  storageDir: string,
  id: string,
  asked: string | undefined,
): Promise<TaskResultDetail> {
  const stored = await readResult(db, id);
  if (!stored) throw new NotFound();
  const row = resultRowOf(stored);
  const { step } = row.meta;
  const samples = isOfSamples(stored) ? await samplesOf(db, row.task_id, step) : [];
  if (asked !== undefined && !samples.some(({ name }) => name === asked)) throw new NotFound();
  const sample = asked ?? (samples.find(({ failed }) => failed) ?? samples[0])?.name;
  const folder = folderOf(storageDir, folderNameOf({ id: row.task_id, resource_name: stored.resource_name }));
  return {
    row,
    samples,
    sample: sample ?? null,
    result: row.result === null ? null : await readJson(folder.at(stepDir(step, sample), 'result.json')),
    log: row.hidden ? null : await readLog(db, folder, row, sample),
  };
}

async function samplesOf(db: Knex, taskId: string, step: string): Promise<TaskResultDetail['samples']> {
  const rows = await db('task_sample').where({ task_id: taskId }).orderBy('idx').select('name', 'failure');
  return rows.map(({ name, failure }) => ({ name, failed: failure?.step === step }));
}

/** Null while it is not there, or is being replaced. */
const readJson = (file: StoragePlace): Promise<Record<string, unknown> | null> =>
  readText(file).then(JSON.parse, () => null);

/** The file on storage; where there is none (a pod that could not mount it), the lines that the status keeps. */
async function readLog(
  db: Knex,
  folder: StoragePlace,
  row: TaskResultDetail['row'],
  sample: string | undefined,
): Promise<TaskResultDetail['log']> {
  const path = logFile(row.meta.step, sample);
  const tail = await tailOf(folder.at(path), LOG_LINES, LOG_BYTES).catch(() => undefined);
  if (tail && tail.text.length > 0) return { name: basename(path), text: tail.text.toString('utf8') };
  const task = await db('task').where({ id: row.task_id }).first('mirror');
  const failure = (task?.mirror.failures ?? []).find(
    (candidate) => candidate.step === row.meta.step && (sample === undefined || candidate.sample === sample),
  );
  return failure?.logTail ? { name: null, text: failure.logTail } : null;
}
