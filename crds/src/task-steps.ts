/**
 * Reads the steps of a task from its status. Pure. Does not compare step names, because a group's own Pipeline may use
 * any names.
 */

import type { AnalysisTaskStatus, Pipeline, PipelineStep, StepStatus } from './kinds.ts';
import { parseRanges } from './step-contract.ts';

export interface TaskStep {
  stage: string;
  step: StepStatus;
}

/** Returns all steps in the order of the Pipeline. Empty until the operator has seen the task. */
export const stepsOf = ({ stages }: Pick<AnalysisTaskStatus, 'stages'>): TaskStep[] =>
  (stages ?? []).flatMap(({ name, steps }) => (steps ?? []).map((step) => ({ stage: name, step })));

/** Returns all steps of a Pipeline in order. */
export const stepsOfPipeline = ({ spec }: Pick<Pipeline, 'spec'>): PipelineStep[] =>
  spec.stages.flatMap(({ steps }) => steps);

/** Returns the indexes of the failed samples in ascending order. */
export const failedIndexes = ({ failedSamples }: Pick<AnalysisTaskStatus, 'failedSamples'>): number[] =>
  parseRanges(failedSamples ?? '');

/** Returns the first step that has not completed. It may have failed or been aborted. */
export const currentStep = (status: Pick<AnalysisTaskStatus, 'stages'>): TaskStep | undefined =>
  stepsOf(status).find(({ step: { state } }) => state !== 'Succeeded' && state !== 'Skipped');

/**
 * Reports whether the step runs once for each sample, with outputs and logs by sample. False before its first Job,
 * because the operator counts samples from then on.
 */
export const isSampleStep = ({ samples }: StepStatus): boolean => samples !== undefined;

/**
 * Returns the number of finished samples. While a step that runs once for each sample is current, its count. Otherwise
 * all `alive` samples if such a step has run before, and 0 if not.
 */
export function samplesDone(status: Pick<AnalysisTaskStatus, 'stages'>, alive: number): number {
  const step = currentStep(status)?.step;
  if (step && isSampleStep(step)) return step.samples?.done ?? 0;
  return stepsOf(status).some((taskStep) => isSampleStep(taskStep.step)) ? alive : 0;
}
