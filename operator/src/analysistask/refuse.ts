/** Why a task cannot start, or cannot go on: checks in order, the first that objects is told. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { stepsOfPipeline } from '@seqpanel/crds/task-steps.ts';
import { findCondition } from '../kube/conditions.ts';
import { REASON } from './conditions.ts';
import type { Input } from './input.ts';
import { imageProblem } from './step-image.ts';

export interface Refusal {
  reason: string;
  message: string;
  /** Something that may still come is missing: wait for it instead of failing. */
  wait?: true;
}

type Check = (input: Input, status: AnalysisTaskStatus) => Refusal | undefined;

const pipelineMissing: Check = ({ task, pipeline }) =>
  pipeline
    ? undefined
    : { reason: REASON.pipelineMissing, message: `There is no Pipeline ${task.spec.pipeline.name}.`, wait: true };

/** What is asked only before the first step: a task that runs is not stopped by a change of the Pipeline. */
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
        message: `Pipeline ${task.spec.pipeline.name} is version ${pipeline.spec.version}, not ${task.spec.pipeline.version}.`,
      }
    : undefined;

/** A verdict about another generation, or none yet, says nothing about what would run now. */
const pipelineInvalid: Check = ({ task, pipeline }) => {
  const valid = findCondition(pipeline?.status?.conditions, 'Valid');
  if (valid?.observedGeneration !== pipeline?.metadata?.generation || valid === undefined)
    return {
      reason: REASON.pipelineUnchecked,
      message: `Pipeline ${task.spec.pipeline.name} has not been checked yet. The task starts when its condition Valid is True.`,
      wait: true,
    };
  return valid.status === 'True' ? undefined : { reason: REASON.pipelineInvalid, message: valid.message };
};

/** The digest comes from the task, so that a valid Pipeline does not say that its images may run. */
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
