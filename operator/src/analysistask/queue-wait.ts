/** The condition Overdue: a task that waits for its first pod for longer than the setting allows. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { isTrue } from '../kube/conditions.ts';
import { CONDITION, REASON, setCondition } from './conditions.ts';
import type { Input } from './input.ts';

/** Changes the condition; returns when to look again, ms. */
export function judgeQueueWait({ task, settings, now }: Input, status: AnalysisTaskStatus): number | undefined {
  const type = CONDITION.overdue;
  if (status.phase !== 'Queued') {
    const message = 'The task no longer waits.';
    if (isTrue(status.conditions, type))
      setCondition(task, status, { type, status: 'False', reason: REASON.running, message }, now);
    return undefined;
  }
  if (settings.queueWaitMs === 0) return undefined;
  const since = task.metadata.creationTimestamp;
  const left = Date.parse(since) + settings.queueWaitMs - now;
  if (left > 0) return left;
  const message = `No pod of the task has run since it was created at ${since}. The conditions Admitted and Progressing say why.`;
  setCondition(task, status, { type, status: 'True', reason: REASON.queueWait, message }, now);
  return undefined;
}
