/** Writes pods for the scheduler and the kubelet: status, binding, warnings. */

import type { Pod } from '@seqpanel/crds/kube/core-types.ts';
import { recordEvent } from '../objects/events.ts';
import { type Obj, timestamp } from '../objects/metadata.ts';
import type { Registry } from '../objects/registry.ts';
import { POD } from '../objects/resources.ts';
import { condition, mergeStatus, type PodStatus } from './pod-status.ts';

/** A stored pod. */
export type LivePod = Obj & Pod;

const COMPONENT = 'kubelet';

export class PodWriter {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Current time in the format of a status. */
  at(): string {
    return timestamp(this.#registry.now());
  }

  /** Returns the current pod; undefined when it is deleted or another pod has its name. */
  current(pod: LivePod): LivePod | undefined {
    const current = this.#registry.find(POD, pod.metadata.namespace!, pod.metadata.name!) as LivePod | undefined;
    return current?.metadata.uid === pod.metadata.uid ? current : undefined;
  }

  /** Merges into the current status, conditions by their type. */
  write(pod: LivePod, change: PodStatus): LivePod | undefined {
    const current = this.current(pod);
    if (!current) return undefined;
    const next = { ...current, metadata: { ...current.metadata }, status: mergeStatus(current.status, change) };
    return this.#registry.put(POD, current, next as Obj) as LivePod;
  }

  /** Binds the pod to the node; returns undefined when it is deleted or being deleted. */
  bind(pod: LivePod, nodeName: string): LivePod | undefined {
    const current = this.current(pod);
    if (!current || current.metadata.deletionTimestamp) return undefined;
    const status = { ...current.status, conditions: [condition(this.at(), 'PodScheduled', true)] };
    const next = { ...current, metadata: { ...current.metadata }, spec: { ...current.spec!, nodeName }, status };
    return this.#registry.put(POD, current, next as Obj) as LivePod;
  }

  /** Writes the terminal status. The kubelet then removes a pod that was deleted while it ran. */
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
