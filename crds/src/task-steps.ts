/**
 * The steps of a task as its status tells of them. A group's own Pipeline may name its steps as it likes, so that nothing
 * outside a result's format asks for a step by its name. Pure.
 */

import type { AnalysisTaskStatus, Pipeline, PipelineStep, StepStatus } from './kinds.ts';
import { parseRanges } from './step-contract.ts';

export interface TaskStep {
  stage: string;
  step: StepStatus;
}

/** All steps in the order of the Pipeline; none before the operator has looked at the task. */
export const stepsOf = ({ stages }: Pick<AnalysisTaskStatus, 'stages'>): TaskStep[] =>
  (stages ?? []).flatMap(({ name, steps }) => (steps ?? []).map((step) => ({ stage: name, step })));

/** All steps of a Pipeline, in order. */
export const stepsOfPipeline = ({ spec }: Pick<Pipeline, 'spec'>): PipelineStep[] =>
  spec.stages.flatMap(({ steps }) => steps);

/** Indexes of the samples that failed for good, ascending. */
export const failedIndexes = ({ failedSamples }: Pick<AnalysisTaskStatus, 'failedSamples'>): number[] =>
  parseRanges(failedSamples ?? '');

/** The first step that the task has not got past: it may have failed or been aborted. */
export const currentStep = (status: Pick<AnalysisTaskStatus, 'stages'>): TaskStep | undefined =>
  stepsOf(status).find(({ step: { state } }) => state !== 'Succeeded' && state !== 'Skipped');

/**
 * Whether the step runs once a sample: its outputs and logs then lie by sample. The operator counts the samples of such a
 * step from its first Job on, so that one that has not begun is none yet.
 */
export const isSampleStep = ({ samples }: StepStatus): boolean => samples !== undefined;

/**
 * How many samples are done: of the current step, when it runs once a sample, else all `alive` ones once a step has run
 * over samples. What is made ready for all of them before that is done with none.
 */
export function samplesDone(status: Pick<AnalysisTaskStatus, 'stages'>, alive: number): number {
  const step = currentStep(status)?.step;
  if (step && isSampleStep(step)) return step.samples?.done ?? 0;
  return stepsOf(status).some((taskStep) => isSampleStep(taskStep.step)) ? alive : 0;
}
