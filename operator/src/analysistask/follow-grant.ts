/** Adjusts the parallelism of the open Job to the task's grant. */

import type { Action } from '../jobs/act.ts';
import type { JobFacts } from '../jobs/facts.ts';
import type { Input } from './input.ts';

/** Does nothing with Kueue, which decides itself, or when the grant was planned for another Job. */
export function followGrant({ admission, settings }: Input, job: JobFacts): Action[] {
  const { parallelism, job: planned } = admission?.grant ?? {};
  if (settings.job.kueue || planned !== job.name || parallelism === undefined) return [];
  return parallelism === job.parallelism ? [] : [{ do: 'setParallelism', job, parallelism }];
}
