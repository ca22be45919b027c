/** The share of a group's pods that one of its tasks may run at a time. */

import type { Action } from '../jobs/act.ts';
import type { JobFacts } from '../jobs/facts.ts';
import type { Input } from './input.ts';

/** Pods this task may run: the group's quota in equal parts, at least one; without a quota, or when Kueue keeps one, as many as it has samples. */
export function groupShare({ settings, groupTasks }: Pick<Input, 'settings' | 'groupTasks'>): number {
  if (settings.groupPods === 0 || settings.job.kueueQueue) return Number.MAX_SAFE_INTEGER;
  return Math.max(1, Math.floor(settings.groupPods / Math.max(1, groupTasks)));
}

/** The open Job follows its share as tasks of the group come and go. With Kueue the queue decides. */
export function followQuota(input: Input, job: JobFacts): Action[] {
  if (input.settings.groupPods === 0 || input.settings.job.kueueQueue) return [];
  const parallelism = Math.min(job.completions, groupShare(input));
  return parallelism === job.parallelism ? [] : [{ do: 'setParallelism', job, parallelism }];
}
