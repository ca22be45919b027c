/** What a feature declares to have long work done in the background: see jobs/start-job.ts and jobs/run-jobs.ts. */
import type { Knex } from 'knex';
import type { Logger } from 'pino';

export type JobPayload = Record<string, unknown>;
export type JobResult = Record<string, unknown>;

/** One run of a job. */
export interface JobRun {
  id: string;
  group: string | null;
  subject: string | null;
  username: string;
  payload: JobPayload;
  /** Pool for background work. */
  db: Knex;
  log: Logger;
  /** Aborts when the job is canceled, when its lease is lost and when the process ends. */
  signal: AbortSignal;
  /** Reports progress, in the kind's unit. Call it as often as you like: it is written at most twice a second. */
  progress(done: number, total?: number): void;
}

/**
 * A kind of long work. `run` may be called again after its process died, from the beginning: it must be able to
 * continue on what an earlier run left behind.
 */
export interface JobKind {
  kind: string;
  /** Returns the result, which is shown to the person who started it. Throws JobFailed when trying again is useless. */
  run(run: JobRun): Promise<JobResult>;
}

/** The job cannot be done. The message is for the person who started it. */
export class JobFailed extends Error {}
