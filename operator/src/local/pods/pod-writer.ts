/** What scheduler and kubelet write of a pod: its status, its binding, warnings about it. */

import type { Pod } from '@seqpanel/crds/kube/core-types.ts';
import { recordEvent } from '../objects/events.ts';
import { type Obj, timestamp } from '../objects/metadata.ts';
import type { Registry } from '../objects/registry.ts';
import { POD } from '../objects/resources.ts';
import { condition, mergeStatus, type PodStatus } from './pod-status.ts';

/** A pod as it is in the store. */
export type LivePod = Obj & Pod;

const COMPONENT = 'kubelet';

export class PodWriter {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The time, as a status holds it. */
  at(): string {
    return timestamp(this.#registry.now());
  }

  /** The pod as it is now; undefined when it is gone, or another has its name. */
  current(pod: LivePod): LivePod | undefined {
    const current = this.#registry.find(POD, pod.metadata.namespace!, pod.metadata.name!) as LivePod | undefined;
    return current?.metadata.uid === pod.metadata.uid ? current : undefined;
  }

  /** Merges into the pod's status as it is now; conditions by their type. */
  write(pod: LivePod, change: PodStatus): LivePod | undefined {
    const current = this.current(pod);
    if (!current) return undefined;
    const next = { ...current, metadata: { ...current.metadata }, status: mergeStatus(current.status, change) };
    return this.#registry.put(POD, current, next as Obj) as LivePod;
  }

  /** Puts the pod on the node; undefined when it is gone or going. */
  bind(pod: LivePod, nodeName: string): LivePod | undefined {
    const current = this.current(pod);
    if (!current || current.metadata.deletionTimestamp) return undefined;
    const status = { ...current.status, conditions: [condition(this.at(), 'PodScheduled', true)] };
    const next = { ...current, metadata: { ...current.metadata }, spec: { ...current.spec!, nodeName }, status };
    return this.#registry.put(POD, current, next as Obj) as LivePod;
  }

  /** The terminal status; a pod that was deleted while it ran is then taken away by its kubelet. */
  end(pod: LivePod, status: PodStatus): void {
    const written = this.write(pod, status);
    if (!written?.metadata.deletionTimestamp) return;
    const { namespace = '', name = '', uid = '' } = written.metadata;
    this.#registry.delete(POD, namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } });
  }

  warn(pod: LivePod, reason: string, message: string): void {
    recordEvent(this.#registry, COMPONENT, { type: POD, object: pod }, { type: 'Warning', reason, message });
  }
}
