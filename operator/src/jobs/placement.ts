/** Selects the nodes for a pod: those of the WorkerPool that serves its machine type. */

import { QUEUE_LABEL, type WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Toleration } from '@seqpanel/crds/kube/core-types.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';

export interface Placement {
  /** Label that assigns a pod to its pool. */
  labels: Record<string, string>;
  nodeSelector: Record<string, string>;
  tolerations: Toleration[];
}

/** Allows any node. */
export const ANYWHERE: Placement = { labels: {}, nodeSelector: {}, tolerations: [] };

/** Machine types are free text; label values are not. */
const isLabelValue = (text: string): boolean => /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(text);

/**
 * Finds the pool for `machine`, which a panel type or genome names: first by spec.instanceType, then by spec.queue, the
 * oldest first. Without a pool, the pods run anywhere and keep the name as their queue if it is a valid label value.
 */
export function placementOf(machine: string | undefined, pools: readonly Stored<WorkerPool>[]): Placement {
  if (!machine) return ANYWHERE;
  const oldestFirst = [...pools].sort(
    ({ metadata: a }, { metadata: b }) =>
      a.creationTimestamp.localeCompare(b.creationTimestamp) || a.uid.localeCompare(b.uid),
  );
  const pool =
    oldestFirst.find(({ spec }) => spec.instanceType === machine) ??
    oldestFirst.find(({ spec }) => spec.queue === machine);
  const queue = pool?.spec.queue ?? machine;
  return {
    labels: isLabelValue(queue) ? { [QUEUE_LABEL]: queue } : {},
    nodeSelector: pool?.spec.nodeSelector ?? {},
    tolerations: pool?.spec.tolerations ?? [],
  };
}
