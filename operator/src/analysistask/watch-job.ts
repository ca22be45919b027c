/** Watches the running Job of the open step: reports what blocks it, and when to look again. */

import { CONDITION, REASON } from '@seqpanel/crds/task-conditions.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { findWaiting } from '../jobs/waiting.ts';
import { findCondition } from '../kube/conditions.ts';
import { lostPods } from './disruptions.ts';
import { followGrant } from './follow-grant.ts';
import { findHanging } from './hanging.ts';
import type { Decision } from './input.ts';
import { seconds } from './job.ts';
import type { OpenStep } from './open-step.ts';
import { setProgressing } from './task-conditions.ts';

export function watchJob({ input, status, step, definition }: OpenStep, job: JobFacts, pods: PodFacts[]): Decision {
  const { task, now } = input;
  const waiting = findWaiting(job, pods, input);
  const hanging = findHanging(input, pods, seconds(definition.timeout ?? '12h') * 1000);
  const stuck = hanging.stuck ?? waiting.stuck;
  if (stuck) setProgressing(task, status, 'False', stuck.reason, stuck.message, now);
  else if (findCondition(status.conditions, CONDITION.progressing)?.status !== 'True') {
    const message = `Step ${step.name} is running as Job ${job.name}.`;
    setProgressing(task, status, 'True', REASON.running, message, now);
  }
  const lost = lostPods(input);
  const again = Math.min(...[waiting, hanging, lost].map(({ requeueAfterMs }) => requeueAfterMs ?? Infinity));
  return {
    before: [],
    status,
    after: [...lost.actions, ...followGrant(input, job)],
    ...(Number.isFinite(again) && { requeueAfterMs: again }),
  };
}
