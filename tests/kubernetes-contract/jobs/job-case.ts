/** What a case of the Job contract is, and how it is played. */
import type { KubeObject } from '../../cluster/kube-http.ts';
import type { JobStage } from './job-stage.ts';
import type { JobState } from './job-state.ts';

export interface JobStep {
  /** What is done, in words; a key of the fixture. */
  does: string;
  act: (stage: JobStage) => Promise<unknown> | unknown;
  /** True once the state that the step leads to has come; the recorder then waits for silence. */
  until: (state: JobState) => boolean;
}

export interface JobCase {
  name: string;
  about: string;
  job: KubeObject;
  steps: JobStep[];
}

/** fixtures/jobs/<name>.json. */
export interface JobFixture {
  name: string;
  about: string;
  recordedOn: string;
  job: KubeObject;
  /** The state at rest after each step: what every server must come to. */
  steps: { does: string; state: JobState }[];
  /** Every distinct status that the watch showed in one recorded run; the steps between states at rest may be merged. */
  sequence: Record<string, unknown>[];
}

/** `create the Job`, then wait until `running` pods run. */
export function created(job: KubeObject, running: number): JobStep {
  return {
    does: 'create the Job',
    act: (stage) => stage.create(job),
    until: (state) => count(state, 'Running') === running && (state.job?.ready ?? 0) === running,
  };
}

/** Ends the pod of an index (the n-th of that index), then waits for `until`. */
export function finished(index: number, exitCode: number, until: JobStep['until'], n = 0): JobStep {
  const which = n === 0 ? `the pod of index ${index}` : `pod ${n + 1} of index ${index}`;
  return { does: `${which} exits ${exitCode}`, act: (stage) => stage.finish(index, exitCode, n), until };
}

export function count(state: JobState, phase: string): number {
  return state.pods.filter((pod) => pod.phase === phase).length;
}

/** True when the Job has that condition with status True. */
export function has(condition: string): JobStep['until'] {
  return (state) => ((state.job?.conditions as string[]) ?? []).some((c) => c.startsWith(`${condition}=True`));
}
