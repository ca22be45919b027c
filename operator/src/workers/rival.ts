/** Two pools that would scale against each other: the older one works, the younger says so and does nothing. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { sameJson } from '../kube/same-json.ts';
import { groupOf, isClusterApi } from './cluster-api.ts';

export interface Rival {
  pool: Stored<WorkerPool>;
  /** The field that they share, and how. */
  shared:
    | 'spec.queue: the same as that of'
    | 'spec.scaleTargetRef: the same as that of'
    | 'spec.nodeSelector: the same as that of'
    | 'spec.nodeSelector: takes in nodes of';
}

export function rivalOf(pool: Stored<WorkerPool>, all: readonly Stored<WorkerPool>[]): Rival | undefined {
  for (const other of all) {
    if (other.metadata.uid === pool.metadata.uid || other.metadata.deletionTimestamp || !isOlder(other, pool)) continue;
    if (other.spec.queue === pool.spec.queue) return { pool: other, shared: 'spec.queue: the same as that of' };
    if (sameTarget(other, pool)) return { pool: other, shared: 'spec.scaleTargetRef: the same as that of' };
    const [mine, theirs] = [pool.spec.nodeSelector ?? {}, other.spec.nodeSelector ?? {}];
    if (Object.keys(mine).length > 0 && sameJson(mine, theirs))
      return { pool: other, shared: 'spec.nodeSelector: the same as that of' };
    // Whose a node is, is known by its machine, else by its labels alone.
    const byLabels = ![pool, other].every(({ spec }) => isClusterApi(spec.scaleTargetRef));
    if (byLabels && takesIn(mine, theirs)) return { pool: other, shared: 'spec.nodeSelector: takes in nodes of' };
  }
  return undefined;
}

const isOlder = (a: Stored<WorkerPool>, b: Stored<WorkerPool>): boolean =>
  a.metadata.creationTimestamp < b.metadata.creationTimestamp ||
  (a.metadata.creationTimestamp === b.metadata.creationTimestamp && a.metadata.uid < b.metadata.uid);

/** Every node of the one is a node of the other: all labels that the other asks for are asked for by the one. */
function takesIn(a: Record<string, string>, b: Record<string, string>): boolean {
  const [fewer, more] = Object.keys(a).length < Object.keys(b).length ? [a, b] : [b, a];
  const labels = Object.entries(fewer);
  return labels.length > 0 && labels.every(([label, value]) => more[label] === value);
}

/** One object may be served in several versions. */
function sameTarget(a: Stored<WorkerPool>, b: Stored<WorkerPool>): boolean {
  const of = ({ metadata, spec: { scaleTargetRef: target } }: Stored<WorkerPool>) => [
    groupOf(target),
    target.kind,
    target.namespace ?? metadata.namespace,
    target.name,
  ];
  return sameJson(of(a), of(b));
}
