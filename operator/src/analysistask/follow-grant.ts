/** The open Job's parallelism follows what admission grants the task. */

import type { Action } from '../jobs/act.ts';
import type { JobFacts } from '../jobs/facts.ts';
import type { Input } from './input.ts';

/** With Kueue the queue decides. A grant that was planned before this Job was seen says nothing of it. */
export function followGrant({ admission, settings }: Input, job: JobFacts): Action[] {
  const { parallelism, job: planned } = admission?.grant ?? {};
  if (settings.job.kueue || planned !== job.name || parallelism === undefined) return [];
  return parallelism === job.parallelism ? [] : [{ do: 'setParallelism', job, parallelism }];
}
