/** A task that has not started waits until admission grants it pods; the condition Admitted says why. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { isWorthTelling } from '../admission/waiting.ts';
import { findCondition } from '../kube/conditions.ts';
import { CONDITION, REASON, setCondition, setProgressing } from './conditions.ts';
import type { Decision, Input } from './input.ts';

/** Undefined when the task may start now. */
export function awaitAdmission(
  { task, jobs, admission, now }: Input,
  status: AnalysisTaskStatus,
): Decision | undefined {
  const set = (truth: 'True' | 'False', reason: string, message: string): void =>
    setCondition(task, status, { type: CONDITION.admitted, status: truth, reason, message }, now);
  // Where a Job is, the task was let start, and only the status that tells of it was lost.
  if (admission?.grant || jobs.length > 0) {
    set('True', REASON.admitted, 'The task may run.');
    return undefined;
  }
  // What hindered it before is gone: now it takes part in admission.
  if (findCondition(status.conditions, CONDITION.progressing)?.status === 'False')
    setProgressing(task, status, 'True', REASON.queued, 'The task waits for its turn.', now);
  const known = findCondition(status.conditions, CONDITION.admitted);
  if (admission && isWorthTelling(known, admission.wait)) set('False', admission.wait.reason, admission.wait.message);
  return { before: [], status, after: [] };
}
