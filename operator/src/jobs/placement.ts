/** Which nodes a pod may run on: those of the WorkerPool that serves its kind of machine. */

import { QUEUE_LABEL, type WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Toleration } from '@seqpanel/crds/kube/core-types.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';

export interface Placement {
  /** Label of the pods, by which a pool counts them. */
  labels: Record<string, string>;
  nodeSelector: Record<string, string>;
  tolerations: Toleration[];
}

/** Any node will do. */
export const ANYWHERE: Placement = { labels: {}, nodeSelector: {}, tolerations: [] };

/** Names of machines are free text; a label's value is not. */
const isLabelValue = (text: string): boolean => /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/.test(text);

/**
 * `machine` is what the panel type or the genome asks for: a pool's spec.instanceType, else its spec.queue. Of several
 * pools the oldest is taken. Where none serves it, the pods run anywhere and keep the name as their queue if it can be one.
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
