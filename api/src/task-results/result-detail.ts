/** Reads task results with their files on storage: result.json and the tail of the log. */

import { basename } from 'node:path';
import { logFile, stepDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';
import { readText, type StoragePlace } from '../storage/inside-storage.ts';
import { tailOf } from '../tasks/log-tail.ts';
import { folderNameOf, folderOf } from '../tasks/task-files.ts';
import { isOfSamples, type ResultRow, readResult, readResultsOf, resultRowOf } from './result-rows.ts';

export type TaskResultDetail = AnswerOf<'getAnyTaskResult'>;
type StepResult = AnswerOf<'listTaskResults'>['results'][number];
type Sample = TaskResultDetail['samples'][number];
type SampleRow = { name: string; failure: { step?: string | null } | null };

/** Number of log lines in a task result. */
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
  return await readFiles(db, storageDir, stored, await readSamples(db, stored.task_id), asked);
}

/**
 * Returns all step attempts of a task. A step that runs per sample has the files of its first failed sample, else of
 * its first sample.
 */
export async function readStepResults(db: Knex, storageDir: string, taskId: string): Promise<StepResult[]> {
  const [attempts, samples] = await Promise.all([readResultsOf(db, taskId), readSamples(db, taskId)]);
  return await Promise.all(
    attempts.map(async (stored) => {
      const { row, sample, result, log } = await readFiles(db, storageDir, stored, samples, undefined);
      const { step, attempt, job, reason, message } = row.meta;
      return {
        id: row.id,
        task_id: row.task_id,
        step,
        sample,
        attempt,
        status: row.status,
        date_done: row.date_done,
        content_type: row.content_type,
        content_encoding: row.content_encoding,
        result,
        traceback: row.traceback === null ? null : (log?.text ?? row.traceback),
        hidden: row.hidden,
        meta: { job, reason, message },
      };
    }),
  );
}

async function readFiles(
  db: Knex,
  storageDir: string,
  stored: ResultRow,
  all: readonly SampleRow[],
  asked: string | undefined,
): Promise<TaskResultDetail> {
  const row = resultRowOf(stored);
  const { step } = row.meta;
  const samples: Sample[] = isOfSamples(stored)
    ? all.map(({ name, failure }) => ({ name, failed: failure?.step === step }))
    : [];
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

const readSamples = (db: Knex, taskId: string): Promise<SampleRow[]> =>
  db('task_sample').where({ task_id: taskId }).orderBy('idx').select('name', 'failure');

/** Returns null while the file is missing or being replaced. */
const readJson = (file: StoragePlace): Promise<Record<string, unknown> | null> =>
  readText(file).then(JSON.parse, () => null);

/** Reads the log on storage, else the lines in the status, for example when a pod could not mount the storage. */
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
