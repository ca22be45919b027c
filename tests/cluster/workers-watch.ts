/** Records when pods appeared and when targets were scaled, both seen by one client. */
import type { KubeHttp, KubeObject } from './kube-http.ts';
import { DEPLOYMENTS, NODE_GROUPS } from './workers-definitions.ts';

export class ReactionTimes {
  /** Requested numbers of each target, in order. */
  readonly asked = new Map<string, number[]>();
  readonly #askedAt = new Map<string, number>();
  /** Time at which a Job's first pod was seen, by Job. */
  readonly #seenAt = new Map<string, number>();
  readonly #stops: (() => void)[] = [];

  constructor(kube: KubeHttp, namespace: string) {
    this.#follow(kube, `/api/v1/namespaces/${namespace}/pods?watch=true`, (pod) => this.#onPod(pod));
    for (const path of [NODE_GROUPS(namespace), DEPLOYMENTS(namespace)])
      this.#follow(kube, `${path}?watch=true`, (target) => this.#onTarget(target));
  }

  /**
   * Returns the milliseconds from a Job's first pod to the new number on the target. Negative when the number was seen
   * first: the operator does not wait until the scheduler reports the pod as unschedulable.
   */
  from(job: string, target: string, replicas: number): number {
    return this.#askedAt.get(`${target} ${replicas}`)! - this.#seenAt.get(job)!;
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
    const job = metadata.labels?.['batch.kubernetes.io/job-name'];
    if (job && !this.#seenAt.has(job)) this.#seenAt.set(job, Date.now());
  }

  #onTarget({ metadata: { name }, spec: { replicas } }: KubeObject): void {
    const asked = this.asked.get(name) ?? [];
    if (asked.at(-1) === replicas) return;
    this.asked.set(name, [...asked, replicas]);
    this.#askedAt.set(`${name} ${replicas}`, Date.now());
  }
}
