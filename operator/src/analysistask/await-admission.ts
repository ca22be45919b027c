/** Holds back a task that has not started until admission grants it pods. The condition Admitted gives the reason. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { CONDITION, REASON } from '@seqpanel/crds/task-conditions.ts';
import { needsUpdate } from '../admission/waiting.ts';
import { findCondition } from '../kube/conditions.ts';
import type { Decision, Input } from './input.ts';
import { setCondition, setProgressing } from './task-conditions.ts';

/** Returns undefined when the task may start now. */
export function awaitAdmission(
  { task, jobs, admission, now }: Input,
  status: AnalysisTaskStatus,
): Decision | undefined {
  const set = (truth: 'True' | 'False', reason: string, message: string): void =>
    setCondition(task, status, { type: CONDITION.admitted, status: truth, reason, message }, now);
  // An existing Job shows that the task was admitted and that only the status write was lost.
  if (admission?.grant || jobs.length > 0) {
    set('True', REASON.admitted, 'The task may run.');
    return undefined;
  }
  // The earlier obstacle is gone, so the task takes part in admission now.
  if (findCondition(status.conditions, CONDITION.progressing)?.status === 'False')
    setProgressing(task, status, 'True', REASON.queued, 'The task is waiting for its turn.', now);
  const known = findCondition(status.conditions, CONDITION.admitted);
  if (admission && needsUpdate(known, admission.wait)) set('False', admission.wait.reason, admission.wait.message);
  return { before: [], status, after: [] };
}
