/** Names and labels of what the operator makes for a task. */

import { ATTEMPT_LABEL, STAGE_LABEL, STEP_LABEL, TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import { componentLabels } from '../jobs/labels.ts';

/** A new name for each attempt: a Job of a used name may still be there, or its pods may. */
export const jobName = (task: string, step: string, attempt: number): string => `${task}-${step}-${attempt}`;

/** The ConfigMap that holds task.json. It cannot be changed; what changes from step to step is in a Job's environment. */
export const specName = (task: string): string => `${task}-spec`;

export const stepLabels = (task: string, stage: string, step: string, attempt: number): Record<string, string> => ({
  [TASK_LABEL]: task,
  [STAGE_LABEL]: stage,
  [STEP_LABEL]: step,
  [ATTEMPT_LABEL]: `${attempt}`,
  ...componentLabels('stage'),
});
