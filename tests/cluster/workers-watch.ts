/**
 * How long it takes from a pod that no node has room for to the target's new number, as one client sees both. It counts
 * from the pod's creation: the operator need not wait for the scheduler's verdict, and often is before it.
 */
import type { KubeHttp, KubeObject } from './kube-http.ts';
import { DEPLOYMENTS, NODE_GROUPS } from './workers-definitions.ts';

export class ReactionTimes {
  /** By queue, milliseconds, one for each time that new waiting pods raised the target. */
  readonly times = new Map<string, number[]>();
  /** Numbers that each target was asked for, in order. */
  readonly asked = new Map<string, number[]>();
  readonly #since = new Map<string, number>();
  /** Pods seen before: a later number answers another question, as what a new node offers. */
  readonly #known = new Set<string>();
  readonly #stops: (() => void)[] = [];

  constructor(kube: KubeHttp, namespace: string) {
    this.#follow(kube, `/api/v1/namespaces/${namespace}/pods?watch=true`, (pod) => this.#onPod(pod));
    for (const path of [NODE_GROUPS(namespace), DEPLOYMENTS(namespace)])
      this.#follow(kube, `${path}?watch=true`, (target) => this.#onTarget(target));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #follow(kube: KubeHttp, path: string, on: (object: KubeObject) => void): void {
    const watch = kube.watch(path);
    this.#stops.push(watch.stop);
    void (async () => {
      for await (const { object } of watch.events) on(object);
    })();
  }

  #onPod({ metadata }: KubeObject): void {
    const queue = metadata.labels?.['seqpanel.dev/queue'];
    if (!queue || this.#known.has(metadata.uid)) return;
    this.#known.add(metadata.uid);
    if (!this.#since.has(queue)) this.#since.set(queue, Date.now());
  }

  /** Pools, queues and targets of these tests share their names. */
  #onTarget({ metadata: { name }, spec }: KubeObject): void {
    const asked = this.asked.get(name) ?? [];
    const last = asked.at(-1);
    if (last === spec.replicas) return;
    this.asked.set(name, [...asked, spec.replicas]);
    const since = this.#since.get(name);
    if (last !== undefined && spec.replicas > last && since !== undefined)
      this.times.set(name, [...(this.times.get(name) ?? []), Date.now() - since]);
    this.#since.delete(name);
  }
}
