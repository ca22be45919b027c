/** Runs the jobs that features declare, a few at a time in each process. */
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createLoops } from '../background/several-loops.ts';
import type { Loop } from '../live/wake.ts';
import { JobFailed, type JobKind } from './job-kind.ts';
import { renewLease, settleJob, type TakenJob, takeJob } from './take-job.ts';

/** Interval at which a process looks for jobs of dead processes. */
const POLL_MS = 5_000;
/** Interval of the written progress; the lease is renewed with it. */
const BEAT_MS = 500;
/** Jobs that a process works on at once, so that a short one does not wait for a long copy. */
const AT_ONCE = 2;
/** A job that ended its process, or failed unexpectedly, this often is given up. */
export const MAX_ATTEMPTS = 3;

export interface JobRunnerOptions {
  db: Knex;
  log: Logger;
  now: () => Date;
  kinds: () => readonly JobKind[];
  beatMs?: number;
}

export function createJobRunner({ db, log, now, kinds, beatMs = BEAT_MS }: JobRunnerOptions): Loop {
  const runOne = async (job: TakenJob, signal: AbortSignal): Promise<void> => {
    const own = kinds().find(({ kind }) => kind === job.kind)!;
    const logOfJob = log.child({ job: job.id, kind: job.kind });
    if (job.cancel_requested) return settleJob(db, job, { state: 'canceled', finished: now() });
    if (job.attempts > MAX_ATTEMPTS)
      return settleJob(db, job, { state: 'failed', finished: now(), error: job.error ?? 'its process ended' });
    const beat = keepBeating(db, job, beatMs, signal);
    try {
      const { group_id: group, id, subject, username, payload } = job;
      const result = await own.run({
        ...{ id, group, subject, username, payload, db, log: logOfJob },
        signal: beat.signal,
        progress: beat.progress,
      });
      await beat.stop();
      await settleJob(db, job, { state: 'completed', finished: now(), result, ...beat.last() });
    } catch (error) {
      await beat.stop();
      if (signal.aborted) return settleJob(db, job, { attempts: job.attempts - 1 });
      if (beat.isCanceled()) return settleJob(db, job, { state: 'canceled', finished: now() });
      const message = error instanceof Error ? error.message : String(error);
      const isFinal = error instanceof JobFailed || job.attempts >= MAX_ATTEMPTS;
      logOfJob.warn({ err: error, final: isFinal }, 'job failed');
      await settleJob(db, job, { error: message, ...(isFinal && { state: 'failed', finished: now() }) });
    }
  };
  return createLoops(AT_ONCE, {
    name: 'jobs',
    log,
    pollMs: POLL_MS,
    work: async (signal) => {
      const names = kinds().map(({ kind }) => kind);
      for (;;) {
        const job = signal.aborted ? undefined : await takeJob(db, names, now());
        if (!job) return undefined;
        await runOne(job, signal);
      }
    },
  });
}

/** Renews the lease and writes the progress until stopped. Its signal aborts when the job is no longer to be done. */
function keepBeating(db: Knex, job: TakenJob, everyMs: number, ends: AbortSignal) {
  const lost = new AbortController();
  let progress: { done: number; total: number | null } | undefined;
  let written: typeof progress;
  let beating: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    const now = progress;
    const isOurs = await renewLease(db, job, now === written ? undefined : now).catch(() => true);
    written = now;
    if (!isOurs) lost.abort();
  };
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, everyMs);
  return {
    signal: AbortSignal.any([ends, lost.signal]),
    progress: (done: number, total?: number) => {
      progress = { done, total: total ?? progress?.total ?? null };
    },
    last: () => progress ?? {},
    isCanceled: () => lost.signal.aborted,
    stop: async () => {
      clearInterval(timer);
      await beating;
    },
  };
}
