/** Collects what is known of one pool from the caches and the target. Pure. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { isOver, type WorkerNode, type WorkerPod } from './facts.ts';
import { viewNode } from './node-view.ts';
import type { PlanInput } from './pool-plan.ts';
import type { Target } from './provider.ts';

export interface Known {
  nodes: readonly WorkerNode[];
  podsOn: (node: string) => readonly WorkerPod[];
  /** Pods of all namespaces with this queue's label. */
  podsOf: (queue: string) => readonly WorkerPod[];
  isUnread: (pod: WorkerPod) => boolean;
}

export function gather(key: string, pool: Stored<WorkerPool>, target: Target, known: Known, now: number): PlanInput {
  const { spec, status, metadata } = pool;
  const { replicas, machines, settled } = target;
  // Another installation may use the same queue name in its own namespace.
  const isOurs = (pod: WorkerPod): boolean => pod.queue === spec.queue && pod.namespace === metadata.namespace;
  const leaving = new Set((machines ?? []).flatMap(({ node, deleting }) => (node && deleting ? [node] : [])));
  return {
    key,
    spec,
    before: status,
    replicas,
    ...(machines && { machines }),
    settled,
    views: nodesOf(pool, target, known.nodes).map((node) =>
      viewNode(
        { ...node, deleting: node.deleting || leaving.has(node.name) },
        known.podsOn(node.name),
        isOurs,
        known.isUnread,
      ),
    ),
    waiting: known.podsOf(spec.queue).filter((pod) => isOurs(pod) && isWaiting(pod)),
    now,
  };
}

const isWaiting = (pod: WorkerPod): boolean => !pod.node && !isOver(pod) && !pod.deleting && !pod.gated;

/** Returns the nodes of the target's machines; without machines, the nodes with the pool's labels. */
export function nodesOf({ spec }: WorkerPool, { machines }: Target, nodes: readonly WorkerNode[]): WorkerNode[] {
  if (machines) {
    const names = new Set(machines.map(({ node }) => node));
    return nodes.filter(({ name }) => names.has(name));
  }
  const labels = Object.entries(spec.nodeSelector ?? {});
  return labels.length === 0
    ? []
    : nodes.filter((node) => labels.every(([label, value]) => node.labels[label] === value));
}
