/** Reasons why a task cannot start or continue. Checks run in order and the first objection is reported. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { REASON } from '@seqpanel/crds/task-conditions.ts';
import { stepsOfPipeline } from '@seqpanel/crds/task-steps.ts';
import { findCondition } from '../kube/conditions.ts';
import type { Input } from './input.ts';
import { imageProblem } from './step-image.ts';

export interface Refusal {
  reason: string;
  message: string;
  /** The obstacle may go away: wait instead of failing. */
  wait?: true;
}

type Check = (input: Input, status: AnalysisTaskStatus) => Refusal | undefined;

const pipelineMissing: Check = ({ task, pipeline }) =>
  pipeline
    ? undefined
    : { reason: REASON.pipelineMissing, message: `Pipeline ${task.spec.pipeline.name} does not exist.`, wait: true };

/** Limits a check to the time before the first step: a change of the Pipeline does not stop a running task. */
const atStart =
  (check: Check): Check =>
  (input, status) =>
    status.stages ? undefined : check(input, status);

const pipelineDisabled: Check = ({ task, pipeline }) =>
  pipeline?.spec.state === 'Disabled'
    ? { reason: REASON.pipelineDisabled, message: `Pipeline ${task.spec.pipeline.name} is disabled.` }
    : undefined;

const otherVersion: Check = ({ task, pipeline }) =>
  pipeline && pipeline.spec.version !== task.spec.pipeline.version
    ? {
        reason: REASON.pipelineVersion,
        message: `Pipeline ${task.spec.pipeline.name} has version ${pipeline.spec.version}; the task needs ${task.spec.pipeline.version}.`,
      }
    : undefined;

/** Waits while the condition Valid is missing or of another generation, which does not cover the current steps. */
const pipelineInvalid: Check = ({ task, pipeline }) => {
  const valid = findCondition(pipeline?.status?.conditions, 'Valid');
  if (valid?.observedGeneration !== pipeline?.metadata?.generation || valid === undefined)
    return {
      reason: REASON.pipelineUnchecked,
      message: `Pipeline ${task.spec.pipeline.name} is not checked yet. The task starts when its condition Valid is True.`,
      wait: true,
    };
  return valid.status === 'True' ? undefined : { reason: REASON.pipelineInvalid, message: valid.message };
};

/** Checks the images again although the Pipeline is Valid, because their digests come from the task. */
const imageNotAllowed: Check = ({ task, pipeline, settings }, status) => {
  for (const { image } of pipeline ? stepsOfPipeline(pipeline) : []) {
    const message = imageProblem(task, status, image, settings.job);
    if (message !== undefined) return { reason: REASON.imageNotAllowed, message };
  }
  return undefined;
};

const CHECKS: readonly Check[] = [
  pipelineMissing,
  atStart(pipelineDisabled),
  atStart(otherVersion),
  atStart(pipelineInvalid),
  atStart(imageNotAllowed),
];

export function refuse(input: Input, status: AnalysisTaskStatus): Refusal | undefined {
  for (const check of CHECKS) {
    const refusal = check(input, status);
    if (refusal) return refusal;
  }
  return undefined;
}
