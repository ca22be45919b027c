/** Pools whose resource is gone: reported by the watch, or found missing after the api was down. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isNotFound } from '@seqpanel/crds/kube/errors.ts';
import { WORKER_POOLS } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import { forgetWorkerPool, mirrorWorkerPool } from './mirror-pool.ts';

/** Returns pool rows that are not in the cache. Each must be checked with the API server. */
export async function missingPools(db: Knex, known: ReadonlySet<string>): Promise<string[]> {
  const rows = await db('worker_pool').whereNull('gone').select('name');
  return rows.map(({ name }) => name).filter((name) => !known.has(name));
}

/** Asks the API server, because another pool may have the name by now. */
export async function settlePool(
  { db, kube, now }: { db: Knex; kube: Pick<KubeClient, 'get'>; now: () => Date },
  name: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await mirrorWorkerPool(db, await kube.get(WORKER_POOLS, name, { signal }), now());
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await forgetWorkerPool(db, name, now());
  }
}
