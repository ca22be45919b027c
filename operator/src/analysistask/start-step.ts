/** Opens an attempt of a step: its spec file, its Job, and what the status says of it. */

import type { AnalysisTaskStatus, Pipeline, PipelineStep, StageStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { failedIndexes, stepsOfPipeline } from '@seqpanel/crds/task-steps.ts';
import type { Action } from '../jobs/act.ts';
import { placementOf } from '../jobs/placement.ts';
import { timestamp } from '../kube/conditions.ts';
import { formatMebibytes, parseBytes } from '../kube/quantity.ts';
import { REASON, setProgressing } from './conditions.ts';
import type { Input } from './input.ts';
import { buildJob } from './job.ts';
import { jobName } from './names.ts';
import { buildSpecFile } from './spec-file.ts';
import { imageOf } from './step-image.ts';

export interface Attempt {
  stage: StageStatus;
  step: StepStatus;
  pipeline: Pipeline;
  definition: PipelineStep;
  attempt: number;
  /** Undefined for a task-scoped step. */
  samples: number[] | undefined;
  /** Bytes; undefined takes the Pipeline's. */
  memory: number | undefined;
}

const DEFAULT_MEMORY = 2 ** 30;
/** What runs beside an aligner: samtools sort with at most 768 MiB, fastp, and the step itself. */
const BESIDE_ALIGNER = 2 ** 30;

/**
 * Bytes a step asks for at its first attempt. Alignment needs the genome's index in memory too: once, however many samples
 * a pod works on.
 */
export function firstMemory(definition: PipelineStep, { pipeline, genome }: Input): number {
  const asked = parseBytes(definition.resources?.memory ?? '') ?? DEFAULT_MEMORY;
  const aligns = pipeline?.spec.stages[0]?.steps[0]?.name === definition.name;
  const index = Math.max(0, ...(genome?.status?.indexes ?? []).map(({ memoryMiB }) => memoryMiB ?? 0));
  return aligns && index > 0 ? Math.max(asked, index * 2 ** 20 + BESIDE_ALIGNER) : asked;
}

/** Changes `status` and answers what must be made before it is written. */
export function startStep(input: Input, status: AnalysisTaskStatus, attempt: Attempt): Action[] {
  const { task, genome, panelType, pools, settings, now } = input;
  const { stage, step, definition, samples } = attempt;

  step.state = 'Running';
  step.attempt = attempt.attempt;
  step.job = jobName(task.metadata.name, step.name, attempt.attempt);
  step.started ??= timestamp(now);
  if (samples) step.samples ??= { total: samples.length, done: 0, failed: 0 };
  stage.state = 'Running';
  stage.started ??= timestamp(now);
  status.stage = stage.name;
  status.started ??= timestamp(now);
  setProgressing(task, status, 'True', REASON.running, `Step ${step.name} runs as Job ${step.job}.`, now);

  return [
    { do: 'createConfigMap', object: buildSpecFile(task, attempt.pipeline) },
    {
      do: 'createJob',
      object: buildJob({
        task,
        stage: stage.name,
        step: definition,
        image: imageOf(task, status, definition.image),
        attempt: attempt.attempt,
        samples,
        stepNumber: numberOf(attempt.pipeline, step.name),
        failedSamples: failedIndexes(status),
        memory: formatMebibytes(attempt.memory ?? firstMemory(definition, input)),
        genome: genome?.spec.value ?? task.spec.genome,
        parallelism: settings.job.kueue ? Number.MAX_SAFE_INTEGER : input.podsForNext,
        // What was frozen at the launch; a task that was applied by hand may name only its panel type.
        placement: placementOf(task.spec.queue ?? panelType?.spec.instanceType, pools),
        settings: settings.job,
      }),
    },
  ];
}

/** A step's place in its Pipeline, from 1. */
const numberOf = (pipeline: Pipeline, name: string): number =>
  stepsOfPipeline(pipeline).findIndex((step) => step.name === name) + 1;
