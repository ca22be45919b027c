/** Sets the conditions of an AnalysisTask. */

import type { AnalysisTask, AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { CONDITION } from '@seqpanel/crds/task-conditions.ts';
import { type ConditionUpdate, withCondition } from '../kube/conditions.ts';

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
