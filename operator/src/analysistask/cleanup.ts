/** Expires or deletes Jobs whose result is recorded. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Action } from '../jobs/act.ts';
import type { JobFacts } from '../jobs/facts.ts';
import type { Input } from './input.ts';
import { isFinished, isStepEnd } from './task-state.ts';

/**
 * Sets the time to live of recorded Jobs that have ended, and deletes recorded Jobs that still run. Until then a Job has
 * no time to live, because it may be the only source of its result.
 */
export function cleanUp(input: Input, status: AnalysisTaskStatus): Action[] {
  const seconds = input.settings.jobTtlSeconds;
  const due = (untilDue(input, status) ?? 0) <= 0;
  return recordedJobs(input, status).flatMap<Action>((job) => {
    if (!job.end) return [{ do: 'deleteJob', job }];
    return due && !job.hasTtl ? [{ do: 'expireJob', job, seconds }] : [];
  });
}

/** Milliseconds until recorded Jobs are due to expire; undefined when none is or all are due. */
export function nextExpiry(input: Input, status: AnalysisTaskStatus): number | undefined {
  const ms = untilDue(input, status);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

/**
 * The time to live counts from a Job's end, so setting it can wait, unlike the ends of the next Jobs. Waiting for half of
 * it leaves enough time, and the Jobs of a short task all expire in one round.
 */
function untilDue(input: Input, status: AnalysisTaskStatus): number | undefined {
  const ends = recordedJobs(input, status).flatMap(({ end, hasTtl }) =>
    end && !hasTtl ? [Date.parse(end.at) || 0] : [],
  );
  return ends.length > 0 ? Math.min(...ends) + input.settings.jobTtlSeconds * 500 - input.now : undefined;
}

const recordedJobs = ({ jobs }: Input, status: AnalysisTaskStatus): JobFacts[] =>
  jobs.filter((job) => !job.deleting && isRecorded(job, status));

/** Reports whether the status of the task records the Job's end, a later attempt, or the end of the task. */
export function isRecorded(job: JobFacts, status: AnalysisTaskStatus): boolean {
  if (isFinished(status.phase)) return true;
  const step = stepsOf(status).find(({ step: { name } }) => name === job.step)?.step;
  if (!step) return false;
  return isStepEnd(step.state) || job.attempt < (step.attempt ?? 1);
}
