/**
 * A control plane with many fake nodes for the load bench: namespaces with tasks or plain Jobs, and watches on them.
 */
import type { ControlPlane } from '../cluster/control-plane.ts';
import type { KubeHttp, KubeObject } from '../cluster/kube-http.ts';
import { makeStorageClaim } from '../cluster/played-task.ts';
import { aSample, aTask, collection, FULL } from '../kubernetes-contract/builders.ts';
import { makeNamespace } from '../kubernetes-contract/server.ts';

/** One step per stage, the first of them per sample. */
export const STEPS = ['reads', 'annotation', 'post-filter', 'qc', 'report'];

/** Name of the Pipeline of tasks that run. */
const PIPELINE = 'load-1.0.0';

/** Parallel calls when many objects are created. */
const CLIENTS = 8;

export const jobsPath = (namespace: string): string => `/apis/batch/v1/namespaces/${namespace}/jobs`;

export async function makePlace(plane: ControlPlane, namespace: string): Promise<void> {
  await makeNamespace(plane.kube, namespace);
  await makeStorageClaim(plane.kube, namespace);
  const pipeline = FULL['Pipeline']!('load');
  const [step] = pipeline.spec.stages[0].steps;
  for (const [i, stage] of pipeline.spec.stages.entries()) {
    const scope = i === 0 ? 'sample' : 'task';
    stage.steps = [{ ...step, name: STEPS[i], scope, resources: { cpu: '100m', memory: '64Mi' } }];
  }
  await plane.kube.create(collection('Pipeline', namespace), pipeline);
}

/** Creates objects with several parallel calls. */
export async function makeMany(kube: KubeHttp, path: string, objects: readonly KubeObject[]): Promise<void> {
  const left = objects.values();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const object of left) await kube.create(path, object);
    }),
  );
}

/** `runs: false` names a missing Pipeline, so that the tasks wait. */
export function tasksOf(count: number, samples: number, runs = true): KubeObject[] {
  const name = runs ? PIPELINE : 'absent-1.0.0';
  const list = Array.from({ length: samples }, (_, i) => aSample(`S${i + 1}`));
  return Array.from({ length: count }, (_, i) =>
    aTask(`load-${samples}-${i + 1}`, { pipeline: { name, version: '1.0.0' }, samples: list }),
  );
}

/** Calls `seen` with every event of a collection from now on, until stopped. Resumes a watch that ended. */
export async function follow(
  kube: KubeHttp,
  path: string,
  seen: (type: string, object: KubeObject, at: number) => void,
): Promise<() => void> {
  const { metadata } = await kube.get(`${path}?limit=1`);
  let version: string = metadata.resourceVersion;
  let stopped = false;
  const open = () => kube.watch(`${path}?watch=true&resourceVersion=${version}`);
  let watch = open();
  void (async () => {
    while (!stopped) {
      for await (const { type, object } of watch.events) {
        if (type === 'ERROR') throw new Error(`the watch of ${path} lost its place: ${object.message}`);
        version = object.metadata.resourceVersion;
        seen(type, object, performance.now());
      }
      // The server ends the watch of a reader that is temporarily too slow.
      if (!stopped) watch = open();
    }
  })();
  return () => {
    stopped = true;
    watch.stop();
  };
}

export const hasEnded = (job: KubeObject): boolean =>
  (job.status?.conditions ?? []).some(
    ({ type, status }: KubeObject) => ['Complete', 'Failed'].includes(type) && status === 'True',
  );

/** Resolves when a count is reached. Rejects with the missing number when nothing was counted for that time. */
export class Progress {
  readonly #goal: number;
  readonly #what: string;
  readonly #names = new Set<string>();
  readonly done: Promise<void>;
  #finish: () => void = () => undefined;
  #watchdog: NodeJS.Timeout;

  constructor(what: string, goal: number, stuckSeconds = 300) {
    this.#what = what;
    this.#goal = goal;
    let fail: (error: Error) => void = () => undefined;
    this.done = new Promise((resolve, reject) => {
      this.#finish = resolve;
      fail = reject;
    });
    this.#watchdog = setTimeout(
      () => fail(new Error(`stuck: ${this.#goal - this.#names.size} ${this.#what} of ${this.#goal} did not end`)),
      stuckSeconds * 1000,
    );
  }

  count(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#watchdog.refresh();
    if (this.#names.size < this.#goal) return;
    clearTimeout(this.#watchdog);
    this.#finish();
  }
}

/** Returns the sum of a counter of a Prometheus text over the series with all given labels. */
export function counterOf(text: string, name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines
    .filter((line) => wanted.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}
