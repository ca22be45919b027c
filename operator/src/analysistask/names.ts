/** Names and labels of the objects that the operator creates for a task. */

import { ATTEMPT_LABEL, STAGE_LABEL, STEP_LABEL, TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import { componentLabels } from '../jobs/labels.ts';

/** Each attempt has its own name, because the previous Job or its pods may still exist. */
export const jobName = (task: string, step: string, attempt: number): string => `${task}-${step}-${attempt}`;

/** Name of the ConfigMap with task.json. It is immutable; values that change per step are in the Job's environment. */
export const specName = (task: string): string => `${task}-spec`;

export const stepLabels = (task: string, stage: string, step: string, attempt: number): Record<string, string> => ({
  [TASK_LABEL]: task,
  [STAGE_LABEL]: stage,
  [STEP_LABEL]: step,
  [ATTEMPT_LABEL]: `${attempt}`,
  ...componentLabels('stage'),
});
