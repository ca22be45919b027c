/** The outcome of an ended Job for its step: samples that are done, that failed permanently, or that may retry. */

import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import { type Cause, causeOf, isKilled, isOutOfMemory, newestFirst, parseTermination } from '../jobs/termination.ts';

export interface FailedSample extends Cause {
  /** Index into spec.samples. */
  sample: number;
}

export interface SampleOutcome {
  done: number[];
  failed: FailedSample[];
  /** Ran out of memory: retried with more. */
  starved: FailedSample[];
  /** Killed without a known reason: retried. */
  killed: FailedSample[];
}

export interface TaskOutcome {
  result: 'done' | 'skipped' | 'failed' | 'starved' | 'killed';
  cause: Cause;
}

/** Returns the samples that completion index `index` of the Job processes. */
export const samplesOf = (job: JobFacts, index: number): number[] =>
  job.samples.slice(index * job.samplesPerPod, (index + 1) * job.samplesPerPod);

/** Returns the samples of completed indexes, including samples that failed within such an index. */
export const completedSamples = (job: JobFacts): number[] => job.completed.flatMap((index) => samplesOf(job, index));

/** Groups pods by completion index. */
function byIndex(pods: readonly PodFacts[]): Map<number, PodFacts[]> {
  const map = new Map<number, PodFacts[]>();
  for (const pod of pods) map.set(pod.index, [...(map.get(pod.index) ?? []), pod]);
  return map;
}

/** Returns the pod that decides why an index failed: the newest that was not disrupted. */
const decisivePod = (pods: readonly PodFacts[] | undefined): PodFacts | undefined =>
  newestFirst(pods ?? []).find(({ phase, disrupted }) => phase === 'Failed' && !disrupted);

/** Outcome of an ended sample-scoped Job. `names` are the samples' names in the order of spec.samples. */
export function sampleOutcome(job: JobFacts, pods: readonly PodFacts[], names: readonly string[]): SampleOutcome {
  const outcome: SampleOutcome = { done: [], failed: [], starved: [], killed: [] };
  const podsByIndex = byIndex(pods);
  const complete = new Set(job.completed);
  for (let index = 0; index < job.completions; index++) {
    const samples = samplesOf(job, index);
    if (complete.has(index)) {
      const inside = failedInside(podsByIndex.get(index) ?? [], samples, names);
      outcome.failed.push(...inside);
      const failed = new Set(inside.map(({ sample }) => sample));
      outcome.done.push(...samples.filter((sample) => !failed.has(sample)));
      continue;
    }
    const pod = decisivePod(podsByIndex.get(index));
    if (pod && (isOutOfMemory(pod) || isKilled(pod))) {
      const cause = causeOf(pod);
      (isKilled(pod) ? outcome.killed : outcome.starved).push(...samples.map((sample) => ({ sample, ...cause })));
      continue;
    }
    const cause = pod || job.failed.includes(index) ? causeOf(pod) : notRun(job);
    outcome.failed.push(...samples.map((sample) => ({ sample, ...cause })));
  }
  return outcome;
}

/** With samplesPerPod > 1, a pod succeeds and reports the samples whose input was bad. */
function failedInside(pods: readonly PodFacts[], samples: readonly number[], names: readonly string[]): FailedSample[] {
  const succeeded = newestFirst(pods).find(({ phase }) => phase === 'Succeeded');
  const termination = succeeded?.ended && parseTermination(succeeded.ended.message);
  return (termination?.failed ?? []).flatMap(({ sample, code, message }) => {
    const index = samples.find((candidate) => names[candidate] === sample);
    return index === undefined ? [] : [{ sample: index, code, message: message.slice(0, 256) }];
  });
}

/** Outcome of an ended task-scoped Job. */
export function taskOutcome(job: JobFacts, pods: readonly PodFacts[]): TaskOutcome {
  if (job.end?.result === 'Complete') {
    const pod = newestFirst(pods).find(({ phase }) => phase === 'Succeeded');
    const termination = pod?.ended && parseTermination(pod.ended.message);
    return {
      result: termination?.outcome === 'skipped' ? 'skipped' : 'done',
      cause: { code: termination?.code ?? '', message: termination?.message ?? '' },
    };
  }
  const pod = decisivePod(pods);
  if (pod && isOutOfMemory(pod)) return { result: 'starved', cause: causeOf(pod) };
  if (pod && isKilled(pod)) return { result: 'killed', cause: causeOf(pod) };
  return { result: 'failed', cause: pod || job.failed.length > 0 ? causeOf(pod) : notRun(job) };
}

/** The cause for an index that neither succeeded nor failed because the Job was ended from outside. */
const notRun = (job: JobFacts): Cause => ({
  code: 'step_failed',
  message: `Job ${job.name}: ${job.end?.reason ?? ''} ${job.end?.message ?? ''}`.trim().slice(0, 256),
});
