/** Builds the complete Job of one attempt of one step. */

import { correlationAnnotations, correlationEnv, correlationOf } from '@seqpanel/crds/correlation.ts';
import { type AnalysisTask, type PipelineStep, STEP_LABEL, TASK_LABEL } from '@seqpanel/crds/kinds.ts';
import type { EnvVar, Job, OwnerReference, VolumeMount } from '@seqpanel/crds/kube/core-types.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { formatRanges, STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { cacheRoot, keptRoot, projectDir, referenceDir, taskDir } from '@seqpanel/crds/storage.ts';
import { FAILURE_POLICY } from '../jobs/failure-policy.ts';
import type { Placement } from '../jobs/placement.ts';
import { KEEP_NODE, podSpec } from '../jobs/pod-spec.ts';
import type { JobSettings } from './input.ts';
import { ADMIT_IN_PART, queueLabels } from './kueue.ts';
import { jobName, specName, stepLabels } from './names.ts';

/** Mount path of the ConfigMap with task.json. */
export const SPEC_MOUNT = '/etc/seqpanel';

export interface StepJob {
  task: Stored<AnalysisTask>;
  stage: string;
  step: PipelineStep;
  /** The step's image, pinned to a build, without the installation's registry. */
  image: string;
  attempt: number;
  /** Indexes into spec.samples that this Job processes; undefined for a task-scoped step. */
  samples: readonly number[] | undefined;
  /** Indexes into spec.samples of samples that failed before. */
  failedSamples: readonly number[];
  /** Position of the step in its Pipeline, from 1. */
  stepNumber: number;
  /** Memory request, as a quantity. */
  memory: string;
  /** Folder below references/; undefined when the task has no genome. */
  genome: string | undefined;
  parallelism: number;
  placement: Placement;
  settings: JobSettings;
}

export function buildJob(input: StepJob): Job {
  const { task, stage, step, attempt, samples, settings } = input;
  const name = task.metadata.name;
  const labels = stepLabels(name, stage, step.name, attempt);
  const perPod = step.samplesPerPod ?? 1;
  const ids = correlationOf(task.metadata.annotations);
  const annotations = correlationAnnotations(ids);
  const completions = samples ? Math.ceil(samples.length / perPod) : 1;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(name, step.name, attempt),
      ...(task.metadata.namespace !== undefined && { namespace: task.metadata.namespace }),
      labels: { ...labels, ...(settings.kueue && queueLabels(settings.kueue, task.spec.group, input.stepNumber)) },
      ...((settings.kueue || Object.keys(annotations).length > 0) && {
        annotations: { ...annotations, ...(settings.kueue && ADMIT_IN_PART) },
      }),
      ownerReferences: [ownerOf(task)],
    },
    spec: {
      completionMode: 'Indexed',
      completions,
      parallelism: Math.max(1, Math.min(completions, input.parallelism)),
      backoffLimitPerIndex: step.retries ?? 2,
      // No maxFailedIndexes: failing samples must never end the Job of the others.
      podFailurePolicy: FAILURE_POLICY,
      template: {
        metadata: { labels: { ...labels, ...input.placement.labels }, annotations: { ...KEEP_NODE, ...annotations } },
        spec: podSpec({
          container: {
            name: 'step',
            image: input.image,
            command: step.command,
            args: ['--spec', `${SPEC_MOUNT}/task.json`, '--task', taskDir(name)],
            env: [...environment(attempt, samples, perPod, input.failedSamples), ...correlationEnv(ids)],
          },
          resources: { ...step.resources, memory: input.memory },
          // A limit on the pod, not on the Job: a Job's limit includes the time it waits for nodes, and ends all samples.
          timeoutSeconds: seconds(step.timeout ?? '12h'),
          configMap: specName(name),
          mounts: mounts(input),
          placement: input.placement,
          spread: { [TASK_LABEL]: name, [STEP_LABEL]: step.name },
          settings,
        }),
      },
    },
  };
}

export const ownerOf = (task: Stored<AnalysisTask>): OwnerReference => ({
  apiVersion: task.apiVersion,
  kind: task.kind,
  name: task.metadata.name,
  uid: task.metadata.uid,
  controller: true,
  blockOwnerDeletion: true,
});

function environment(
  attempt: number,
  samples: readonly number[] | undefined,
  perPod: number,
  failed: readonly number[],
): EnvVar[] {
  return [
    ...(samples
      ? [
          { name: STEP_ENV.samples, value: formatRanges(samples) },
          { name: STEP_ENV.samplesPerPod, value: `${perPod}` },
        ]
      : []),
    ...(failed.length > 0 ? [{ name: STEP_ENV.failedSamples, value: formatRanges(failed) }] : []),
    { name: STEP_ENV.attempt, value: `${attempt}` },
    { name: STEP_ENV.podUid, valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    {
      name: STEP_ENV.cpus,
      valueFrom: { resourceFieldRef: { containerName: 'step', resource: 'requests.cpu', divisor: '1' } },
    },
    {
      name: STEP_ENV.memoryMiB,
      valueFrom: { resourceFieldRef: { containerName: 'step', resource: 'requests.memory', divisor: '1Mi' } },
    },
  ];
}

/** A step may write only its task's folder and its group's cache, and may read only the other listed folders. */
function mounts({ task, genome, settings }: StepJob): VolumeMount[] {
  const at = (subPath: string, readOnly: boolean): VolumeMount => ({
    name: 'storage',
    mountPath: `${settings.storageMountPath}/${subPath}`,
    subPath,
    ...(readOnly && { readOnly }),
  });
  return [
    at(taskDir(task.metadata.name), false),
    at(cacheRoot(task.spec.group), false),
    at(keptRoot(task.spec.group), true),
    at(projectDir(task.spec.group, task.spec.project), true),
    ...(genome ? [at(referenceDir(genome), true)] : []),
    at('annotation', true),
  ];
}

const UNIT = { s: 1, m: 60, h: 3600 };

/** Seconds of `30s`, `5m`, `12h`; the CRD's pattern allows nothing else. */
export const seconds = (text: string): number => Number(text.slice(0, -1)) * UNIT[text.slice(-1) as keyof typeof UNIT];
