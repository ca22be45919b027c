/** Maintains the condition Overdue: the task waits for its first pod longer than the setting allows. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { CONDITION, REASON } from '@seqpanel/crds/task-conditions.ts';
import { isTrue } from '../kube/conditions.ts';
import type { Input } from './input.ts';
import { setCondition } from './task-conditions.ts';

/** Updates the condition; returns when to check again, ms. */
export function updateOverdue({ task, settings, now }: Input, status: AnalysisTaskStatus): number | undefined {
  const type = CONDITION.overdue;
  if (status.phase !== 'Queued') {
    const message = 'The task is no longer waiting.';
    if (isTrue(status.conditions, type))
      setCondition(task, status, { type, status: 'False', reason: REASON.running, message }, now);
    return undefined;
  }
  if (settings.queueWaitMs === 0) return undefined;
  const since = task.metadata.creationTimestamp;
  const left = Date.parse(since) + settings.queueWaitMs - now;
  if (left > 0) return left;
  const message = `No pod of the task has run since its creation at ${since}. See the conditions Admitted and Progressing.`;
  setCondition(task, status, { type, status: 'True', reason: REASON.queueWait, message }, now);
  return undefined;
}
