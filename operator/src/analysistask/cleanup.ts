/** What is left to do with Jobs whose result is recorded. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import type { Action } from '../jobs/act.ts';
import type { JobFacts } from '../jobs/facts.ts';
import type { Input } from './input.ts';
import { isStepEnd } from './plan.ts';

/**
 * Recorded Jobs that have ended get their time to live (without it they stay as the only witness of a result that may
 * not be recorded yet); recorded Jobs that still run are deleted.
 */
export function cleanUp({ jobs, settings }: Input, status: AnalysisTaskStatus): Action[] {
  return jobs
    .filter((job) => !job.deleting && isRecorded(job, status))
    .flatMap<Action>((job) => {
      if (!job.end) return [{ do: 'deleteJob', job }];
      return job.hasTtl ? [] : [{ do: 'expireJob', job, seconds: settings.jobTtlSeconds }];
    });
}

function isRecorded(job: JobFacts, status: AnalysisTaskStatus): boolean {
  const step = status.stages?.flatMap(({ steps }) => steps ?? []).find(({ name }) => name === job.step);
  if (!step) return false;
  return isStepEnd(step.state) || job.attempt < (step.attempt ?? 1);
}
