/** When pods appeared and when targets were asked for more, as one client sees both. */
import type { KubeHttp, KubeObject } from './kube-http.ts';
import { DEPLOYMENTS, NODE_GROUPS } from './workers-definitions.ts';

export class ReactionTimes {
  /** Numbers that each target was asked for, in order. */
  readonly asked = new Map<string, number[]>();
  readonly #askedAt = new Map<string, number>();
  /** By Job, when its first pod was seen. */
  readonly #seenAt = new Map<string, number>();
  readonly #stops: (() => void)[] = [];

  constructor(kube: KubeHttp, namespace: string) {
    this.#follow(kube, `/api/v1/namespaces/${namespace}/pods?watch=true`, (pod) => this.#onPod(pod));
    for (const path of [NODE_GROUPS(namespace), DEPLOYMENTS(namespace)])
      this.#follow(kube, `${path}?watch=true`, (target) => this.#onTarget(target));
  }

  /**
   * Milliseconds from a Job's first pod to the number on the target; under 0 where the second was seen first. The pod is
   * unschedulable from a moment after it is there: the operator need not wait for the scheduler to say so.
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
