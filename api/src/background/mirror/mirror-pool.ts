/**
 * Writes the status of one WorkerPool to its rows: the pool, its workers, and a sample when desired or ready changed.
 */

import { randomUUID } from 'node:crypto';
import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import { notifyWorkers } from '../../live/events.ts';
import { planWorkers, type WorkerRow } from '../../workers/plan-workers.ts';

/** Returns true when the rows changed. Ignores an object older than the one written before. */
export async function mirrorWorkerPool(db: Knex, pool: Stored<WorkerPool>, now: Date): Promise<boolean> {
  const { name, resourceVersion, creationTimestamp } = pool.metadata;
  const { spec, status = {} } = pool;
  return await db.transaction(async (trx) => {
    const columns = {
      resource_version: trx.raw('?::numeric', [resourceVersion]),
      queue: spec.queue,
      instance_type: spec.instanceType ?? null,
      min: spec.min,
      max: spec.max,
      desired: status.desired ?? null,
      ready: status.ready ?? null,
      pending_pods: status.pendingPods ?? null,
      running_pods: status.runningPods ?? null,
      conditions: JSON.stringify(status.conditions ?? []),
      modified: now,
      gone: null,
    };
    const [row] = await trx('worker_pool')
      .insert({ id: randomUUID(), name, created: now, ...columns })
      .onConflict('name')
      .merge(columns)
      // A pool created after the row was written is a new one, for example in a restored cluster whose versions start
      // again.
      .whereRaw('(worker_pool.resource_version < excluded.resource_version OR worker_pool.modified < ?)', [
        creationTimestamp,
      ])
      .returning('id');
    if (!row) return false;
    await writeWorkers(trx, row.id, status.workers ?? [], now);
    if (status.desired !== undefined) await writeSample(trx, row.id, status.desired, status.ready ?? 0, now);
    await notifyWorkers(trx, name);
    return true;
  });
}

/** Removes the workers of a deleted pool. The pool's rows stay until they are pruned. */
export async function forgetWorkerPool(db: Knex, name: string, now: Date): Promise<void> {
  await db.transaction(async (trx) => {
    const [row] = await trx('worker_pool').where({ name }).whereNull('gone').update({ gone: now }).returning('id');
    if (!row) return;
    await trx('worker').where({ pool_id: row.id }).whereNull('gone').update({ gone: now });
    await notifyWorkers(trx, name);
  });
}

async function writeWorkers(
  trx: Knex.Transaction,
  poolId: string,
  workers: Parameters<typeof planWorkers>[1],
  now: Date,
): Promise<void> {
  const present: WorkerRow[] = await trx('worker').where({ pool_id: poolId }).whereNull('gone');
  const { insert, update, gone } = planWorkers(present, workers);
  if (gone.length > 0) await trx('worker').whereIn('id', gone).update({ gone: now });
  for (const { id, columns } of update) await trx('worker').where({ id }).update(columns);
  const rows = insert.map((columns) => ({ id: randomUUID(), pool_id: poolId, created: now, ...columns }));
  if (rows.length > 0) await trx.batchInsert('worker', rows, 500);
}

async function writeSample(
  trx: Knex.Transaction,
  poolId: string,
  desired: number,
  ready: number,
  now: Date,
): Promise<void> {
  const last = await trx('worker_pool_sample').where({ pool_id: poolId }).orderBy('at', 'desc').first();
  if (last?.desired === desired && last.ready === ready) return;
  await trx('worker_pool_sample')
    .insert({ pool_id: poolId, at: now, desired, ready })
    .onConflict(['pool_id', 'at'])
    .merge();
}
