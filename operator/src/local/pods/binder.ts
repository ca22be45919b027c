/** Binds waiting pods to the only node while it has room; `place` selects them. */

import type { Pod } from '@seqpanel/crds/kube/core-types.ts';
import type { Store } from '../objects/store.ts';
import { condition } from './pod-status.ts';
import type { LivePod, PodWriter } from './pod-writer.ts';
import { place, requestOf, type Size } from './scheduler.ts';

export interface BinderOptions {
  store: Store;
  pods: PodWriter;
  nodeName: string;
  capacity: Size;
  /** A pod that requests more than the machine has gets the whole machine. */
  clamp: boolean;
  /** Called after the commit for each bound pod. */
  onBound(pod: LivePod): void;
}

export class Binder {
  readonly #options: BinderOptions;
  readonly #waiting = new Map<string, LivePod>();
  readonly #used: Size = { cpu: 0, memory: 0 };
  #scheduled = false;
  #stopped = false;

  constructor(options: BinderOptions) {
    this.#options = options;
  }

  /** Queues the pod until there is room. */
  offer(pod: LivePod): void {
    this.#waiting.set(pod.metadata.uid!, pod);
    this.#schedule();
  }

  /** Removes the pod from the queue. */
  withdraw(uid: string): void {
    this.#waiting.delete(uid);
  }

  /** Frees the room of a bound pod that has ended. */
  release(pod: Pod): void {
    const size = this.#request(pod);
    this.#used.cpu -= size.cpu;
    this.#used.memory -= size.memory;
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
  }

  #request(pod: Pod): Size {
    return requestOf(pod, this.#options.clamp ? this.#options.capacity : undefined);
  }

  #schedule(): void {
    if (this.#scheduled || this.#stopped || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#stopped) return;
      const { store, capacity, clamp, onBound } = this.#options;
      const { fits, waits } = place([...this.#waiting.values()], this.#used, capacity, clamp);
      const bound = store.transaction(() => {
        for (const { pod, message } of waits) this.#unschedulable(pod, message);
        return fits.map((pod) => this.#bind(pod)).filter((pod) => pod !== undefined);
      });
      for (const pod of bound) onBound(pod);
    });
  }

  #unschedulable(pod: LivePod, message: string): void {
    const { pods } = this.#options;
    const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (known?.reason === 'Unschedulable' && known.message === message) return;
    const waits = condition(pods.at(), 'PodScheduled', false, 'Unschedulable', message);
    const written = pods.write(pod, { conditions: [waits] });
    if (written) pods.warn(written, 'FailedScheduling', message);
  }

  #bind(pod: LivePod): LivePod | undefined {
    this.#waiting.delete(pod.metadata.uid!);
    const bound = this.#options.pods.bind(pod, this.#options.nodeName);
    if (!bound) return undefined;
    const size = this.#request(pod);
    this.#used.cpu += size.cpu;
    this.#used.memory += size.memory;
    return bound;
  }
}
