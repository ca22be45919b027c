/** Leases jobs to one process. Lease times use the clock of Postgres, which all replicas share. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { JobTable } from '../db/tables/background.ts';
import { notifyJob } from '../live/events.ts';

/** A job of a dead process is taken by another one after this many seconds. A live process renews its lease. */
export const LEASE_SECONDS = 15;

export interface TakenJob extends JobTable {
  leased_by: string;
}

/** Leases the oldest job that no live process works on; of one group never more than one while others wait. */
export async function takeJob(db: Knex, kinds: readonly string[], now: Date): Promise<TakenJob | undefined> {
  const { rows } = await db.raw<{ rows: TakenJob[] }>(
    `UPDATE job SET state = 'running', leased_by = :lease, leased_until = now() + make_interval(secs => :seconds),
            attempts = attempts + 1, started = coalesce(started, :now)
      WHERE id = (SELECT j.id FROM job j
        WHERE j.state IN ('queued', 'running') AND (j.leased_until IS NULL OR j.leased_until <= now()) AND j.kind = ANY(:kinds)
        ORDER BY (SELECT count(*) FROM job r WHERE r.group_id = j.group_id AND r.leased_until > now()), j.created, j.id
        FOR UPDATE SKIP LOCKED LIMIT 1)
      RETURNING *`,
    { lease: randomUUID(), seconds: LEASE_SECONDS, now, kinds: [...kinds] },
  );
  return rows[0];
}

/** Renews the lease and writes the progress. Returns whether the job still is this process's, and not canceled. */
export async function renewLease(
  db: Knex,
  { id, leased_by, group_id }: TakenJob,
  progress: { done: number; total: number | null } | undefined,
): Promise<boolean> {
  const [row] = await db('job')
    .where({ id, leased_by, state: 'running' })
    .update({ leased_until: db.raw('now() + make_interval(secs => ?)', [LEASE_SECONDS]), ...progress })
    .returning('cancel_requested');
  if (row && progress) await notifyJob(db, { job: id, group: group_id });
  return row !== undefined && !row.cancel_requested;
}

/** Ends the lease and writes `values`, unless another process has taken the job over. */
export async function settleJob(db: Knex, job: TakenJob, values: Partial<JobTable>): Promise<void> {
  const { result, payload: _payload, ...rest } = values;
  const settled = await db('job')
    .where({ id: job.id, leased_by: job.leased_by })
    .update({ ...rest, ...(result && { result: JSON.stringify(result) }), leased_by: null, leased_until: null });
  if (settled > 0) await notifyJob(db, { job: job.id, group: job.group_id });
}
