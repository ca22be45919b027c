/** Detects two pools that would scale against each other: the older one works, the younger reports it and does nothing. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { sameJson } from '../kube/same-json.ts';
import { groupOf, isClusterApi } from './cluster-api.ts';

export interface Rival {
  pool: Stored<WorkerPool>;
  /** The conflicting field and how it conflicts. */
  shared:
    | 'spec.queue: same queue as'
    | 'spec.scaleTargetRef: same target as'
    | 'spec.nodeSelector: same labels as'
    | 'spec.nodeSelector: also matches nodes of';
}

export function rivalOf(pool: Stored<WorkerPool>, all: readonly Stored<WorkerPool>[]): Rival | undefined {
  for (const other of all) {
    if (other.metadata.uid === pool.metadata.uid || other.metadata.deletionTimestamp || !isOlder(other, pool)) continue;
    if (other.spec.queue === pool.spec.queue) return { pool: other, shared: 'spec.queue: same queue as' };
    if (sameTarget(other, pool)) return { pool: other, shared: 'spec.scaleTargetRef: same target as' };
    const [mine, theirs] = [pool.spec.nodeSelector ?? {}, other.spec.nodeSelector ?? {}];
    if (Object.keys(mine).length > 0 && sameJson(mine, theirs))
      return { pool: other, shared: 'spec.nodeSelector: same labels as' };
    // A node belongs to the pool of its machine; without machines, only its labels show it.
    const byLabels = ![pool, other].every(({ spec }) => isClusterApi(spec.scaleTargetRef));
    if (byLabels && isContained(mine, theirs))
      return { pool: other, shared: 'spec.nodeSelector: also matches nodes of' };
  }
  return undefined;
}

const isOlder = (a: Stored<WorkerPool>, b: Stored<WorkerPool>): boolean =>
  a.metadata.creationTimestamp < b.metadata.creationTimestamp ||
  (a.metadata.creationTimestamp === b.metadata.creationTimestamp && a.metadata.uid < b.metadata.uid);

/** Reports whether every node of one pool matches the other: `a` has all labels of `b`, or the reverse. */
function isContained(a: Record<string, string>, b: Record<string, string>): boolean {
  const [fewer, more] = Object.keys(a).length < Object.keys(b).length ? [a, b] : [b, a];
  const labels = Object.entries(fewer);
  return labels.length > 0 && labels.every(([label, value]) => more[label] === value);
}

/** The same object may be served in several versions. */
function sameTarget(a: Stored<WorkerPool>, b: Stored<WorkerPool>): boolean {
  const of = ({ metadata, spec: { scaleTargetRef: target } }: Stored<WorkerPool>) => [
    groupOf(target),
    target.kind,
    target.namespace ?? metadata.namespace,
    target.name,
  ];
  return sameJson(of(a), of(b));
}
