/** What is left to do with Jobs whose result is recorded. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import type { Action } from '../jobs/act.ts';
import type { JobFacts } from '../jobs/facts.ts';
import type { Input } from './input.ts';
import { isStepEnd } from './plan.ts';

/** Expiring a Job can wait; the ends of the next ones, which short steps reach soon, cannot. */
const EXPIRE_AFTER_MS = 10_000;

/**
 * Recorded Jobs that have ended get their time to live (without it they stay as the only witness of a result that may
 * not be recorded yet); recorded Jobs that still run are deleted.
 */
export function cleanUp(input: Input, status: AnalysisTaskStatus): Action[] {
  return recordedJobs(input, status).flatMap<Action>((job) => {
    if (!job.end) return [{ do: 'deleteJob', job }];
    const seconds = input.settings.jobTtlSeconds;
    return !job.hasTtl && wait(job, input.now) <= 0 ? [{ do: 'expireJob', job, seconds }] : [];
  });
}

/** When a recorded Job is to be expired next, ms from now. */
export function nextExpiry(input: Input, status: AnalysisTaskStatus): number | undefined {
  const waits = recordedJobs(input, status).flatMap((job) => (job.end && !job.hasTtl ? wait(job, input.now) : []));
  const coming = waits.filter((ms) => ms > 0);
  return coming.length > 0 ? Math.min(...coming) : undefined;
}

const wait = ({ end }: JobFacts, now: number): number => (Date.parse(end?.at ?? '') || 0) + EXPIRE_AFTER_MS - now;

const recordedJobs = ({ jobs }: Input, status: AnalysisTaskStatus): JobFacts[] =>
  jobs.filter((job) => !job.deleting && isRecorded(job, status));

function isRecorded(job: JobFacts, status: AnalysisTaskStatus): boolean {
  const step = status.stages?.flatMap(({ steps }) => steps ?? []).find(({ name }) => name === job.step);
  if (!step) return false;
  return isStepEnd(step.state) || job.attempt < (step.attempt ?? 1);
}
