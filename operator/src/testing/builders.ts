/** For tests only: builds objects as the API server stores them. */

import {
  type AnalysisTask,
  API_VERSION,
  type Pipeline,
  type PipelineStep,
  type StepStatus,
} from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { formatRanges, type TerminationMessage } from '@seqpanel/crds/step-contract.ts';
import type { Input, TaskSettings } from '../analysistask/input.ts';
import { emptyStages, stageState } from '../analysistask/task-state.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');
const SHA = 'a'.repeat(64);
export const ago = (seconds: number): string => `${new Date(NOW - seconds * 1000).toISOString().slice(0, 19)}Z`;

const step = (name: string, scope: 'sample' | 'task', more: Partial<PipelineStep> = {}): PipelineStep => ({
  name,
  scope,
  image: 'seqpanel/pipeline:1.0.0',
  command: ['seqpanel-step', name],
  resources: { cpu: '1', memory: '1Gi' },
  retries: 2,
  timeout: '12h',
  ...more,
});

/** A pipeline like the shipped one; `reads` overrides its first step. */
export const aPipeline = (reads: Partial<PipelineStep> = {}): Stored<Pipeline> => ({
  apiVersion: API_VERSION,
  kind: 'Pipeline',
  metadata: {
    name: 'panel-1.0.0',
    namespace: 'test',
    uid: 'uid-p',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: ago(999),
  },
  status: {
    conditions: [
      {
        type: 'Valid',
        status: 'True',
        observedGeneration: 1,
        lastTransitionTime: ago(999),
        reason: 'Checked',
        message: 'All steps can run.',
      },
    ],
  },
  spec: {
    displayName: 'Targeted panel',
    version: '1.0.0',
    state: 'Active',
    stages: [
      {
        name: 'secondary',
        steps: [step('reads', 'sample', reads), step('cohort', 'task'), step('call', 'sample'), step('joint', 'task')],
      },
      { name: 'annotation', steps: [step('annotation', 'task')] },
      { name: 'post-filter', steps: [step('post-filter', 'task')] },
      { name: 'qc', steps: [step('qc', 'task')] },
      { name: 'report', steps: [step('report', 'task')] },
    ],
  },
});

/** `aTask('t1', 'A', 'B').withStep('reads', 'Succeeded').aborting().build()` */
export function aTask(name: string, ...samples: string[]) {
  const task: Stored<AnalysisTask> = {
    apiVersion: API_VERSION,
    kind: 'AnalysisTask',
    metadata: {
      name,
      namespace: 'test',
      uid: `uid-${name}`,
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: ago(600),
    },
    spec: {
      name: 'run',
      group: 'g1',
      project: 'p1',
      panelType: { name: 'panel', sha256: SHA },
      pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
      preset: { name: 'default', sha256: SHA },
      source: 'fq',
      samples: samples.map((sample) => ({ name: sample, libraryId: sample, files: [{ name: `${sample}.fastq.gz` }] })),
    },
  };
  const builder = {
    /** Sets a step's state. A Running step has the Job of its attempt, and all earlier steps have Succeeded. */
    withStep: (of: string, state: StepStatus['state'], more: Partial<StepStatus> = {}) => {
      task.status ??= {
        phase: 'Running',
        revision: 3,
        observedGeneration: 1,
        started: ago(500),
        samples: { total: samples.length, incomplete: 0 },
        stages: emptyStages(aPipeline()),
      };
      let before = true;
      for (const stage of task.status.stages ?? []) {
        for (const each of stage.steps ?? []) {
          if (each.name === of) {
            const attempt = more.attempt ?? 1;
            Object.assign(each, { state, attempt, job: `${name}-${of}-${attempt}`, started: ago(400), ...more });
            before = false;
            task.status.stage = stage.name;
          } else if (before) {
            Object.assign(each, { state: 'Succeeded', attempt: 1, job: `${name}-${each.name}-1` });
          }
        }
        stage.state = stageState(stage.steps ?? []);
      }
      return builder;
    },
    withFailed: (...indexes: number[]) => {
      task.status = {
        ...task.status,
        failedSamples: formatRanges(indexes),
        samples: { total: samples.length, incomplete: indexes.length },
      };
      return builder;
    },
    with: (change: (task: Stored<AnalysisTask>) => void) => {
      change(task);
      return builder;
    },
    aborting: () => builder.with(({ spec }) => Object.assign(spec, { abort: true })),
    build: () => task,
  };
  return builder;
}

/** A running Job of a step's attempt over samples; without samples it is task-scoped. */
export function aJob(task: string, of: string, samples: number[] = [], attempt = 1) {
  const job: JobFacts = {
    name: `${task}-${of}-${attempt}`,
    namespace: 'test',
    uid: `uid-${task}-${of}-${attempt}`,
    task,
    owner: { kind: 'AnalysisTask', name: task, uid: `uid-${task}` },
    step: of,
    attempt,
    samples,
    samplesPerPod: 1,
    completions: Math.max(1, samples.length),
    parallelism: Math.max(1, samples.length),
    memory: '1024Mi',
    hasTtl: false,
    suspended: false,
    deleting: false,
    created: ago(60),
    completed: [],
    failed: [],
  };
  const builder = {
    with: (change: Partial<JobFacts>) => {
      Object.assign(job, change);
      return builder;
    },
    /** Ends the Job: the given completion indexes failed, the others are complete. */
    ended: (...failed: number[]) => {
      const all = Array.from({ length: job.completions }, (_, i) => i);
      const end =
        failed.length === 0
          ? { result: 'Complete' as const, reason: 'CompletionsReached', message: '', at: ago(1) }
          : { result: 'Failed' as const, reason: 'FailedIndexes', message: 'Job has failed indexes', at: ago(1) };
      return builder.with({ completed: all.filter((i) => !failed.includes(i)), failed, end });
    },
    build: () => job,
  };
  return builder;
}

let pods = 0;

/** A pod of a Job's index. */
export function aPod(job: JobFacts, index = 0) {
  pods++;
  const pod: PodFacts = {
    name: `${job.name}-${index}-${pods}`,
    namespace: 'test',
    uid: `uid-pod-${pods}`,
    task: job.task,
    job: job.name,
    index,
    created: ago(50),
    phase: 'Running',
    node: 'node1',
    disrupted: false,
  };
  const builder = {
    with: (change: Partial<PodFacts>) => {
      Object.assign(pod, change);
      return builder;
    },
    succeeded: (termination: Partial<TerminationMessage> = {}) =>
      builder.with({
        phase: 'Succeeded',
        ended: {
          exitCode: 0,
          reason: 'Completed',
          message: JSON.stringify({ outcome: 'done', ...termination }),
          at: ago(1),
        },
      }),
    /** Ends with bad input, as a step reports it. */
    refused: (code: string, message: string) =>
      builder.with({
        phase: 'Failed',
        ended: {
          exitCode: 2,
          reason: 'Error',
          message: JSON.stringify({ outcome: 'bad_input', code, message }),
          at: ago(1),
        },
      }),
    crashed: (exitCode: number, log = '', reason = 'Error') =>
      builder.with({ phase: 'Failed', ended: { exitCode, reason, message: log, at: ago(1) } }),
    disrupted: () => builder.with({ phase: 'Failed', disrupted: true }),
    build: () => pod,
  };
  return builder;
}

export const SETTINGS: TaskSettings = {
  progressMs: 5_000,
  stuckMs: 300_000,
  queueWaitMs: 6 * 3_600_000,
  jobTtlSeconds: 600,
  retentionMs: 3 * 86_400_000,
  memoryDoublings: 2,
  maxDisruptions: 10,
  maxAttempts: 20,
  markLostPods: true,
  lostPodMs: 120_000,
  job: {
    storageClaim: 'seqpanel-storage',
    storageMountPath: '/storage',
    runAsUser: 10001,
    fsGroup: 10001,
    serviceAccount: 'default',
    priorityClass: '',
    pullSecrets: [],
    imageRegistry: '',
    kueue: undefined,
    imagePrefixes: [],
  },
};

export const anInput = (
  task: { build(): Stored<AnalysisTask> },
  jobs: { build(): JobFacts }[] = [],
  podsOf: { build(): PodFacts }[] = [],
  more: Partial<Input> = {},
): Input => ({
  task: task.build(),
  pipeline: aPipeline(),
  genome: undefined,
  panelType: undefined,
  pools: [],
  jobs: jobs.map((job) => job.build()),
  pods: podsOf.map((pod) => pod.build()),
  notReadyNodes: new Set(),
  admission: { grant: { pods: Number.MAX_SAFE_INTEGER } },
  podsForNext: Number.MAX_SAFE_INTEGER,
  lastWrite: undefined,
  now: NOW,
  settings: SETTINGS,
  ...more,
});
