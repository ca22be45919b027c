/** A round on the installed product: stops pods at a step and deletes pods at an event of the API server. */
import { setTimeout as wait } from 'node:timers/promises';
import { eventually, type KubeObject, type WatchEvent } from '../../cluster/kube-http.ts';
import type { ExpectedTask } from '../cluster/invariants.ts';
import { JudgedRound, type JudgedRoundOptions } from '../cluster/judged-round.ts';
import type { Component, InstalledProduct } from './installed-product.ts';
import type { NodePart } from './node-part.ts';
import { processesOf, signal } from './pod-processes.ts';

/** Programs of the node that a fault may kill. */
export type Parts = Record<'apiserver' | 'kubelet' | 'containerd', NodePart>;

/** A pod of a step and its processes, stopped until `release`. */
export interface HeldPod {
  pod: KubeObject;
  processes: number[];
}

export class RealRound extends JudgedRound {
  readonly product: InstalledProduct;
  readonly parts: Parts;
  readonly #stopped = new Set<number>();

  constructor(options: JudgedRoundOptions & Pick<RealRound, 'product' | 'parts'>) {
    super(options);
    this.product = options.product;
    this.parts = options.parts;
    // Restores everything for the next round.
    this.afterwards(() => this.product.whole(180 * this.patience));
    this.afterwards(() => this.release());
  }

  /** Launches a task and stops the first pod of a step as soon as its program runs. */
  async launchHeld(step: string, expected: Partial<ExpectedTask> = {}): Promise<HeldPod> {
    const { id } = await this.launch(expected);
    const selector = `labelSelector=seqpanel.dev%2Ftask%3D${id},seqpanel.dev%2Fstep%3D${step}`;
    const deadline = Date.now() + 120_000 * this.patience;
    while (Date.now() < deadline) {
      const { items } = await this.kube.get(`/api/v1/namespaces/${this.namespace}/pods?${selector}`);
      for (const pod of items as KubeObject[]) {
        const processes = processesOf(pod.metadata.uid);
        if (processes.length === 0) continue;
        signal(processes, 'SIGSTOP');
        for (const process of processes) this.#stopped.add(process);
        const path = this.path('pods', pod.metadata.name);
        const running = async () => {
          const now = await this.kube.get(path);
          return now.status.phase === 'Running' && now;
        };
        return { pod: await eventually(`${pod.metadata.name} runs`, running, 60 * this.patience), processes };
      }
      await wait(100);
    }
    throw new Error(`no pod of ${step} was started`);
  }

  /** Resumes the stopped processes. */
  release(): void {
    signal([...this.#stopped], 'SIGCONT');
    this.#stopped.clear();
  }

  /** Same as `kubectl delete pod --force --grace-period=0`. */
  async deletePod({ metadata }: KubeObject): Promise<void> {
    await this.kube.call('DELETE', `${this.path('pods', metadata.name)}?gracePeriodSeconds=0`);
  }

  async deletePodsOf(component: Component): Promise<void> {
    const pods = component === 'operator' ? [await this.product.leader()] : await this.product.podsOf(component);
    for (const pod of pods) await this.deletePod(pod);
  }

  /** Watches a collection from now on and deletes a component's pods at the first matching event. Resolves then. */
  async deleteAt(component: Component, path: string, matches: (event: WatchEvent) => boolean): Promise<void> {
    const { metadata } = await this.kube.get(path);
    const watch = this.kube.watch(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`);
    this.afterwards(() => watch.stop());
    const follow = async () => {
      for await (const event of watch.events)
        if (matches(event)) {
          await this.deletePodsOf(component);
          return;
        }
      throw new Error('the watch ended before the moment of the fault');
    };
    await this.reached((done, failed) => follow().then(done, failed), 180);
  }
}
