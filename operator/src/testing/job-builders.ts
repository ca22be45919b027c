/** For tests only: builds the Jobs of steps and their pods. */

import type { TerminationMessage } from '@seqpanel/crds/step-contract.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { ago } from './task-builders.ts';

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
