/** What is left to do with Jobs whose result is recorded. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Action } from '../jobs/act.ts';
import type { JobFacts } from '../jobs/facts.ts';
import type { Input } from './input.ts';
import { isFinished, isStepEnd } from './plan.ts';

/**
 * Recorded Jobs that have ended get their time to live (without it they stay as the only witness of a result that may
 * not be recorded yet); recorded Jobs that still run are deleted.
 */
export function cleanUp(input: Input, status: AnalysisTaskStatus): Action[] {
  const seconds = input.settings.jobTtlSeconds;
  const due = (untilDue(input, status) ?? 0) <= 0;
  return recordedJobs(input, status).flatMap<Action>((job) => {
    if (!job.end) return [{ do: 'deleteJob', job }];
    return due && !job.hasTtl ? [{ do: 'expireJob', job, seconds }] : [];
  });
}

/** When recorded Jobs are to be expired next, ms from now. */
export function nextExpiry(input: Input, status: AnalysisTaskStatus): number | undefined {
  const ms = untilDue(input, status);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

/**
 * The time to live counts from a Job's end, so that setting it can wait; the ends of the next Jobs, which short steps
 * reach soon, cannot. Half of it leaves time enough, and a short task's Jobs are all expired in one round.
 */
function untilDue(input: Input, status: AnalysisTaskStatus): number | undefined {
  const ends = recordedJobs(input, status).flatMap(({ end, hasTtl }) =>
    end && !hasTtl ? [Date.parse(end.at) || 0] : [],
  );
  return ends.length > 0 ? Math.min(...ends) + input.settings.jobTtlSeconds * 500 - input.now : undefined;
}

const recordedJobs = ({ jobs }: Input, status: AnalysisTaskStatus): JobFacts[] =>
  jobs.filter((job) => !job.deleting && isRecorded(job, status));

/** True when the status of its task tells of the Job's end, or of a later attempt, or of the task's own end. */
export function isRecorded(job: JobFacts, status: AnalysisTaskStatus): boolean {
  if (isFinished(status.phase)) return true;
  const step = stepsOf(status).find(({ step: { name } }) => name === job.step)?.step;
  if (!step) return false;
  return isStepEnd(step.state) || job.attempt < (step.attempt ?? 1);
}
