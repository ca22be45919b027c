/** The open step of a task, with the data for a decision about it. */

import type { AnalysisTaskStatus, Pipeline, PipelineStep, StageStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { parseRanges } from '@seqpanel/crds/step-contract.ts';
import type { Input } from './input.ts';
import { aliveIndexes } from './task-state.ts';

/** A decision changes `status`, `stage` and `step`, which are parts of the next status. */
export interface OpenStep {
  input: Input;
  status: AnalysisTaskStatus;
  stage: StageStatus;
  step: StepStatus;
  pipeline: Pipeline;
  definition: PipelineStep;
}

export const sampleNames = ({ input }: OpenStep): string[] => input.task.spec.samples.map(({ name }) => name);

export const isPerSample = ({ definition }: OpenStep): boolean => definition.scope === 'sample';

export const finishedSamples = ({ step }: OpenStep): number[] => parseRanges(step.samples?.finished ?? '');

/** Returns the samples that neither failed nor finished in this step. */
export function unfinishedSamples(open: OpenStep): number[] {
  const finished = new Set(finishedSamples(open));
  return aliveIndexes(open.input.task.spec.samples.length, open.status).filter((sample) => !finished.has(sample));
}
