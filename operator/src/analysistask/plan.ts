/** The order of a task's steps, and which samples are still alive. */

import type { AnalysisTaskStatus, Pipeline, PipelineStep, StageStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { failedIndexes } from '@seqpanel/crds/task-steps.ts';

export type StepState = StepStatus['state'];
export type Phase = NonNullable<AnalysisTaskStatus['phase']>;

/** All stages and steps of the pipeline, nothing begun. */
export const emptyStages = (pipeline: Pipeline): StageStatus[] =>
  pipeline.spec.stages.map(({ name, steps }) => ({
    name,
    state: 'Pending',
    steps: steps.map((step) => ({ name: step.name, state: 'Pending' })),
  }));

/** Recorded for good; never looked at again. */
export const isStepEnd = (state: StepState): boolean => state !== 'Pending' && state !== 'Running';

export const isFinished = (phase: Phase | undefined): boolean =>
  phase === 'Completed' || phase === 'Failed' || phase === 'Aborted';

/** The first step that has not ended, with its stage. */
export function openStep(status: AnalysisTaskStatus): { stage: StageStatus; step: StepStatus } | undefined {
  for (const stage of status.stages ?? [])
    for (const step of stage.steps ?? []) if (!isStepEnd(step.state)) return { stage, step };
  return undefined;
}

export const stepOf = (pipeline: Pipeline, stage: string, step: string): PipelineStep | undefined =>
  pipeline.spec.stages.find(({ name }) => name === stage)?.steps.find(({ name }) => name === step);

/** Indexes of the samples that have not failed, ascending. */
export function aliveIndexes(total: number, status: AnalysisTaskStatus): number[] {
  const failed = new Set(failedIndexes(status));
  return Array.from({ length: total }, (_, i) => i).filter((i) => !failed.has(i));
}

/** State of a stage from the states of its steps. */
export function stageState(steps: readonly StepStatus[]): StageStatus['state'] {
  const states = steps.map(({ state }) => state);
  if (states.includes('Failed')) return 'Failed';
  if (states.includes('Aborted')) return 'Aborted';
  if (states.every((state) => state === 'Skipped')) return 'Skipped';
  if (states.every(isStepEnd)) return 'Succeeded';
  return states.some((state) => state !== 'Pending') ? 'Running' : 'Pending';
}
