/** Two pools that would scale against each other: the older one works, the younger says so and does nothing. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { sameJson } from '../kube/patch.ts';

export interface Rival {
  pool: Stored<WorkerPool>;
  /** The field that they share. */
  field: 'spec.queue' | 'spec.scaleTargetRef' | 'spec.nodeSelector';
}

export function rivalOf(pool: Stored<WorkerPool>, all: readonly Stored<WorkerPool>[]): Rival | undefined {
  for (const other of all) {
    if (other.metadata.uid === pool.metadata.uid || other.metadata.deletionTimestamp || !isOlder(other, pool)) continue;
    if (other.spec.queue === pool.spec.queue) return { pool: other, field: 'spec.queue' };
    if (sameTarget(other, pool)) return { pool: other, field: 'spec.scaleTargetRef' };
    const [mine, theirs] = [pool.spec.nodeSelector ?? {}, other.spec.nodeSelector ?? {}];
    if (Object.keys(mine).length > 0 && sameJson(mine, theirs)) return { pool: other, field: 'spec.nodeSelector' };
  }
  return undefined;
}

const isOlder = (a: Stored<WorkerPool>, b: Stored<WorkerPool>): boolean =>
  a.metadata.creationTimestamp < b.metadata.creationTimestamp ||
  (a.metadata.creationTimestamp === b.metadata.creationTimestamp && a.metadata.uid < b.metadata.uid);

function sameTarget(a: Stored<WorkerPool>, b: Stored<WorkerPool>): boolean {
  const of = ({ metadata, spec }: Stored<WorkerPool>) => ({ namespace: metadata.namespace, ...spec.scaleTargetRef });
  return sameJson(of(a), of(b));
}
