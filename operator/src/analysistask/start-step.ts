/** Starts an attempt of a step: its spec file, its Job and its status. */

import type { Pipeline, PipelineStep } from '@seqpanel/crds/kinds.ts';
import { REASON } from '@seqpanel/crds/task-conditions.ts';
import { failedIndexes, stepsOfPipeline } from '@seqpanel/crds/task-steps.ts';
import type { Action } from '../jobs/act.ts';
import { placementOf } from '../jobs/placement.ts';
import { timestamp } from '../kube/conditions.ts';
import { formatMebibytes, parseBytes } from '../kube/quantity.ts';
import type { Input } from './input.ts';
import { buildJob } from './job.ts';
import { jobName } from './names.ts';
import type { OpenStep } from './open-step.ts';
import { buildSpecFile } from './spec-file.ts';
import { imageOf } from './step-image.ts';
import { setProgressing } from './task-conditions.ts';

export interface Attempt {
  attempt: number;
  /** Undefined for a task-scoped step. */
  samples: number[] | undefined;
  /** Bytes; undefined uses the Pipeline's request. */
  memory: number | undefined;
}

const DEFAULT_MEMORY = 2 ** 30;
/** Memory for the programs beside an aligner: samtools sort with at most 768 MiB, fastp, and the step itself. */
const BESIDE_ALIGNER = 2 ** 30;

/**
 * Returns the bytes a step requests at its first attempt. Alignment also loads the genome's index, once per pod whatever
 * its number of samples.
 */
export function firstMemory(definition: PipelineStep, { pipeline, genome }: Input): number {
  const asked = parseBytes(definition.resources?.memory ?? '') ?? DEFAULT_MEMORY;
  const aligns = pipeline?.spec.stages[0]?.steps[0]?.name === definition.name;
  const index = Math.max(0, ...(genome?.status?.indexes ?? []).map(({ memoryMiB }) => memoryMiB ?? 0));
  return aligns && index > 0 ? Math.max(asked, index * 2 ** 20 + BESIDE_ALIGNER) : asked;
}

/** Updates the status and returns the actions that create the attempt's objects. */
export function startStep(open: OpenStep, { attempt, samples, memory }: Attempt): Action[] {
  const { input, status, stage, step, pipeline, definition } = open;
  const { task, genome, panelType, pools, settings, now } = input;

  step.state = 'Running';
  step.attempt = attempt;
  step.job = jobName(task.metadata.name, step.name, attempt);
  step.started ??= timestamp(now);
  if (samples) step.samples ??= { total: samples.length, done: 0, failed: 0 };
  stage.state = 'Running';
  stage.started ??= timestamp(now);
  status.stage = stage.name;
  status.started ??= timestamp(now);
  setProgressing(task, status, 'True', REASON.running, `Step ${step.name} is running as Job ${step.job}.`, now);

  return [
    { do: 'createConfigMap', object: buildSpecFile(task, pipeline) },
    {
      do: 'createJob',
      object: buildJob({
        task,
        stage: stage.name,
        step: definition,
        image: imageOf(task, status, definition.image),
        attempt,
        samples,
        stepNumber: numberOf(pipeline, step.name),
        failedSamples: failedIndexes(status),
        memory: formatMebibytes(memory ?? firstMemory(definition, input)),
        genome: genome?.spec.value ?? task.spec.genome,
        parallelism: settings.job.kueue ? Number.MAX_SAFE_INTEGER : input.podsForNext,
        // spec.queue was set at launch; a task applied by hand may name only its panel type.
        placement: placementOf(task.spec.queue ?? panelType?.spec.instanceType, pools),
        settings: settings.job,
      }),
    },
  ];
}

/** Position of a step in its Pipeline, from 1. */
const numberOf = (pipeline: Pipeline, name: string): number =>
  stepsOfPipeline(pipeline).findIndex((step) => step.name === name) + 1;
