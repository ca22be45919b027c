/** A case of the Job contract, and functions to play it. */
import type { KubeObject } from '../../cluster/kube-http.ts';
import type { JobStage } from './job-stage.ts';
import type { JobState } from './job-state.ts';

export interface JobStep {
  /** Description of the action, used as a key in the fixture. */
  does: string;
  act: (stage: JobStage) => Promise<unknown> | unknown;
  /** True when the state after the step is reached. The recorder then waits until nothing changes. */
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
  /** The final state after each step, which every server must reach. */
  steps: { does: string; state: JobState }[];
  /** Every distinct status of one recorded run, from the watch. Other runs may merge intermediate ones. */
  sequence: Record<string, unknown>[];
}

/** Creates the Job and waits until `running` pods run. */
export function created(job: KubeObject, running: number): JobStep {
  return {
    does: 'create the Job',
    act: (stage) => stage.create(job),
    until: (state) => count(state, 'Running') === running && (state.job?.ready ?? 0) === running,
  };
}

/** Ends the n-th pod of an index, then waits for `until`. */
export function finished(index: number, exitCode: number, until: JobStep['until'], n = 0): JobStep {
  const which = n === 0 ? `the pod of index ${index}` : `pod ${n + 1} of index ${index}`;
  return { does: `${which} exits ${exitCode}`, act: (stage) => stage.finish(index, exitCode, n), until };
}

export function count(state: JobState, phase: string): number {
  return state.pods.filter((pod) => pod.phase === phase).length;
}

/** Reports whether the Job has that condition with status True. */
export function has(condition: string): JobStep['until'] {
  return (state) => ((state.job?.conditions as string[]) ?? []).some((c) => c.startsWith(`${condition}=True`));
}
