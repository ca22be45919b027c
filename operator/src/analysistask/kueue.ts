/** How a step's Job is handed to Kueue (https://kueue.sigs.k8s.io/docs/tasks/run/jobs/). */

import type { KueueSettings } from './input.ts';

/** A Pipeline has at most five stages of six steps; the chart makes so many WorkloadPriorityClasses. */
export const STEPS_MAX = 30;

/** Partial admission: a Job of 384 pods starts with as many as the quota has room for, instead of never. */
export const ADMIT_IN_PART = { 'kueue.x-k8s.io/job-min-parallelism': '1' };

/** Later steps have classes of their own: a task that has begun ends before the next one begins. */
export function queueLabels({ queue, priorityClass }: KueueSettings, group: string, step: number) {
  return {
    'kueue.x-k8s.io/queue-name': queue.replaceAll('{group}', asName(group)).slice(0, 63),
    ...(priorityClass && {
      'kueue.x-k8s.io/priority-class': priorityClass.replaceAll('{n}', `${Math.min(step, STEPS_MAX)}`),
    }),
  };
}

/** Groups are UUIDs; the name of a group of a task that was applied by hand may hold what a queue's may not. */
const asName = (group: string): string =>
  group
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
