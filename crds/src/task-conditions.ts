/** Types and reasons of the conditions of an AnalysisTask. */

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

export const REASON = {
  admitted: 'Admitted',
  queued: 'Queued',
  running: 'Running',
  completed: 'Completed',
  aborting: 'Aborting',
  aborted: 'Aborted',
  stepFailed: 'StepFailed',
  noSampleLeft: 'NoSampleLeft',
  pipelineMissing: 'PipelineMissing',
  pipelineDisabled: 'PipelineDisabled',
  pipelineInvalid: 'PipelineInvalid',
  pipelineUnchecked: 'PipelineUnchecked',
  pipelineVersion: 'PipelineVersion',
  imageNotAllowed: 'ImageNotAllowed',
  restored: 'Restored',
  queueWait: 'QueueWait',
  podStuckTerminating: 'PodStuckTerminating',
  stepOverdue: 'StepOverdue',
  jobRefused: 'JobRefused',
  jobForbidden: 'JobForbidden',
} as const;
