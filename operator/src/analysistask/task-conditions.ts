/** Types and reasons of the conditions of an AnalysisTask. */

import type { AnalysisTask, AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { type ConditionUpdate, withCondition } from '../kube/conditions.ts';

export { TASK_REASON as REASON } from '@seqpanel/crds/task-reasons.ts';

export const CONDITION = {
  /** True when the task ended with results. Use with `kubectl wait --for=condition=Completed`. */
  completed: 'Completed',
  /** True when the task ended without results. */
  failed: 'Failed',
  /** False after the end, and while the task is blocked until someone acts. */
  progressing: 'Progressing',
  /** False while the task waits for admission, with the reason; True since its start. */
  admitted: 'Admitted',
  /** True while the task has waited for its first Job or pod longer than the setting allows. */
  overdue: 'Overdue',
  /** True when the api has stored the results. The retention time counts from then. */
  ingested: 'Ingested',
} as const;

/** Sets one condition on the status. */
export function setCondition(
  task: AnalysisTask,
  status: AnalysisTaskStatus,
  update: ConditionUpdate,
  now: number,
): void {
  status.conditions = withCondition(status.conditions, update, now, task.metadata?.generation);
}

export const setProgressing = (
  task: AnalysisTask,
  status: AnalysisTaskStatus,
  truth: 'True' | 'False',
  reason: string,
  message: string,
  now: number,
): void => setCondition(task, status, { type: CONDITION.progressing, status: truth, reason, message }, now);
