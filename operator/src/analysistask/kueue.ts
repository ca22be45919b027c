/** Labels and annotations that submit a step's Job to Kueue (https://kueue.sigs.k8s.io/docs/tasks/run/jobs/). */

import type { KueueSettings } from './input.ts';

/** A Pipeline has at most five stages of six steps. The chart creates as many WorkloadPriorityClasses. */
export const STEPS_MAX = 30;

/** Partial admission: a Job of 384 pods starts with as many as the quota allows, instead of never. */
export const ADMIT_IN_PART = { 'kueue.x-k8s.io/job-min-parallelism': '1' };

/** Each step has its own priority class, so that a started task finishes before the next one starts. */
export function queueLabels({ queue, priorityClass }: KueueSettings, group: string, step: number) {
  return {
    'kueue.x-k8s.io/queue-name': queue.replaceAll('{group}', asName(group)).slice(0, 63),
    ...(priorityClass && {
      'kueue.x-k8s.io/priority-class': priorityClass.replaceAll('{n}', `${Math.min(step, STEPS_MAX)}`),
    }),
  };
}

/** Groups are UUIDs, but a task applied by hand may name a group with characters that a queue name forbids. */
const asName = (group: string): string =>
  group
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
