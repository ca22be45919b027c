/** For tests only: builds pipelines and tasks as the API server stores them. */

import {
  type AnalysisTask,
  API_VERSION,
  type Pipeline,
  type PipelineStep,
  type StepStatus,
} from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { formatRanges } from '@seqpanel/crds/step-contract.ts';
import { emptyStages, stageState } from '../analysistask/task-state.ts';

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

export const taskSpec = (samples: readonly string[]): AnalysisTask['spec'] => ({
  name: 'run',
  group: 'g1',
  project: 'p1',
  panelType: { name: 'panel', sha256: SHA },
  pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
  preset: { name: 'default', sha256: SHA },
  source: 'fq',
  samples: samples.map((sample) => ({ name: sample, libraryId: sample, files: [{ name: `${sample}.fastq.gz` }] })),
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
    spec: taskSpec(samples),
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
