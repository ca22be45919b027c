/** Rows of the workers list and the pools with their recent numbers. */

import type { Knex } from 'knex';
import { pageOf } from '../db/page.ts';
import type { WorkerPoolSampleTable, WorkerTable } from '../db/tables/background.ts';
import type { AnswerOf, Call } from '../feature.ts';

export type Worker = AnswerOf<'listWorkers'>['results'][number];
export type Pool = AnswerOf<'listWorkerPools'>['results'][number];

/** Time span of a pool's chart. */
const HISTORY_MS = 6 * 3_600_000;

const SORTS: Record<string, string> = {
  id: 'w.id',
  server_instance_id: 'w.instance_id',
  node: 'w.node',
  created: 'w.created',
  queue_name: 'p.queue',
  cloud_status: 'w.cloud_status',
  register_status: 'w.register_status',
  register_date: 'w.register_date',
  ip_address: 'w.ip_address',
  task: 'lower(coalesce(t.name, w.task))',
  idle_since: 'w.idle_since',
};

export async function listWorkers(
  db: Knex,
  query: Call<'listWorkers'>['query'],
): Promise<{ count: number; results: Worker[] }> {
  const matching = db('worker as w')
    .join('worker_pool as p', 'p.id', 'w.pool_id')
    // A task whose kubectl name is not a UUID has no row by that id. Its name is shown unchanged.
    .joinRaw(
      "LEFT JOIN task t ON t.id = CASE WHEN w.task ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN w.task::uuid END",
    );
  if (query.queue) matching.where('p.queue', query.queue);
  if (query.state === 'present') matching.whereNull('w.gone');
  if (query.state === 'gone') matching.whereNotNull('w.gone');
  if (query.q) {
    const part = `%${query.q.trim().replace(/[\\%_]/g, '\\$&')}%`;
    matching.whereRaw(
      '(w.id::text ILIKE :part OR w.instance_id ILIKE :part OR w.node ILIKE :part OR w.ip_address ILIKE :part)',
      {
        part,
      },
    );
  }
  const { count, results } = await pageOf<WorkerRow>(matching, query, (rows) =>
    rows
      .select('w.*', 'p.name as pool', 'p.queue', 't.name as task_name', 't.group_id')
      .orderByRaw('w.gone IS NOT NULL')
      .orderByRaw(`${SORTS[query.sort ?? 'created']} ${query.dir === 'asc' ? 'ASC' : 'DESC'} NULLS LAST`)
      .orderBy('w.id'),
  );
  return { count, results: results.map(workerOf) };
}

/** A worker with its pool and its task. */
type WorkerRow = WorkerTable & { pool: string; queue: string; task_name: string | null; group_id: string | null };

function workerOf(row: WorkerRow): Worker {
  return {
    id: row.id,
    server_instance_id: row.instance_id,
    created: row.created.toISOString(),
    queue_name: row.queue,
    cloud_status: row.cloud_status,
    register_status: row.register_status,
    register_date: row.register_date?.toISOString() ?? null,
    ip_address: row.ip_address,
    node: row.node,
    pool: row.pool,
    // The last task of a gone worker is not current.
    task: row.task && !row.gone ? { id: row.task, name: row.task_name ?? row.task, group: row.group_id } : null,
    idle_since: row.gone ? null : (row.idle_since?.toISOString() ?? null),
    gone: row.gone?.toISOString() ?? null,
  };
}

export async function listPools(db: Knex, now: Date): Promise<{ results: Pool[] }> {
  const pools = await db('worker_pool').whereNull('gone').orderBy('name');
  const from = new Date(now.getTime() - HISTORY_MS);
  const samples: WorkerPoolSampleTable[] = await db('worker_pool_sample as s')
    .whereIn(
      's.pool_id',
      pools.map(({ id }) => id),
    )
    // Includes the last sample before the window, because it holds at its beginning.
    .whereRaw(
      's.at >= coalesce((SELECT max(b.at) FROM worker_pool_sample b WHERE b.pool_id = s.pool_id AND b.at <= :from), :from)',
      { from },
    )
    .orderBy('s.at');
  return {
    results: pools.map((pool) => ({
      id: pool.id,
      name: pool.name,
      queue_name: pool.queue,
      instance_type: pool.instance_type,
      min: pool.min,
      max: pool.max,
      desired: pool.desired,
      ready: pool.ready,
      pending_pods: pool.pending_pods,
      running_pods: pool.running_pods,
      modified: pool.modified.toISOString(),
      conditions: pool.conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message })),
      history: samples
        .filter(({ pool_id }) => pool_id === pool.id)
        .map(({ at, desired, ready }) => ({ at: at.toISOString(), desired, ready })),
    })),
  };
}
