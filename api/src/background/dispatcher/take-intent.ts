/**
 * Leases and settles intents, each in one short transaction, so that no transaction is open during calls to the cluster
 * or storage. Lease times use the clock of Postgres, which all replicas share.
 */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { OutboxTable } from '../../db/tables/background.ts';
import type { Intent } from '../../outbox/intent.ts';

/** Intents of a dead process become free after this many seconds [K8S-26]. A live process renews its leases. */
export const LEASE_SECONDS = 9;

export interface TakenIntent {
  id: number;
  object: string;
  intent: Intent;
  /** Number of attempts, including this one. */
  attempts: number;
  lease: string;
}

const DUE = `o.state = 'pending' AND o.next_try <= :now AND (o.leased_until IS NULL OR o.leased_until <= now())
  AND NOT EXISTS (SELECT 1 FROM outbox e WHERE e.object = o.object AND e.state = 'pending' AND e.id < o.id)`;

/** Leases the next due intent: aborts first, then the group that was served least recently. */
export async function takeIntent(db: Knex, now: Date): Promise<TakenIntent | undefined> {
  return await db.transaction(async (trx) => {
    const found = (await firstDue(trx, now, 'o.urgent')) ?? (await firstOfGroups(trx, now));
    if (found === undefined) return undefined;
    const lease = randomUUID();
    const { rows } = await trx.raw<{ rows: (Omit<TakenIntent, 'lease'> & { group_key: string })[] }>(
      `UPDATE outbox SET leased_by = :lease, leased_until = now() + make_interval(secs => :seconds), attempts = attempts + 1
        WHERE id = :id RETURNING id, object, intent, attempts, group_key`,
      { lease, seconds: LEASE_SECONDS, id: found },
    );
    const { group_key: group, ...row } = rows[0]!;
    await trx.raw("UPDATE outbox_turn SET served = nextval('outbox_served') WHERE group_key = ?", [group]);
    return { ...row, lease };
  });
}

async function firstDue(trx: Knex.Transaction, now: Date, which: string, group = ''): Promise<string | undefined> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT o.id FROM outbox o WHERE ${which} AND ${DUE} ORDER BY o.id FOR UPDATE OF o SKIP LOCKED LIMIT 1`,
    { now, group },
  );
  return rows[0]?.id;
}

async function firstOfGroups(trx: Knex.Transaction, now: Date): Promise<string | undefined> {
  const groups: string[] = await trx('outbox_turn as t')
    .whereExists(trx('outbox as o').whereRaw("o.group_key = t.group_key AND o.state = 'pending'").select(trx.raw('1')))
    .orderBy('t.served')
    .orderBy('t.group_key')
    .pluck('t.group_key');
  for (const group of groups) {
    const found = await firstDue(trx, now, 'o.group_key = :group', group);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Renews the lease until the returned function is called. A failed renewal at worst repeats a call. */
export function keepLease(db: Knex, { id, lease }: TakenIntent): () => void {
  const renew = () =>
    db('outbox')
      .where({ id, leased_by: lease })
      .update({ leased_until: db.raw('now() + make_interval(secs => ?)', [LEASE_SECONDS]) })
      .catch(() => undefined);
  const timer = setInterval(renew, (LEASE_SECONDS * 1000) / 3);
  return () => clearInterval(timer);
}

/** Ends the lease and writes `values`. Returns false when another process holds the lease and settles the intent. */
export async function settleIntent(
  trx: Knex.Transaction,
  { id, lease }: TakenIntent,
  values: Partial<OutboxTable>,
): Promise<boolean> {
  const settled = await trx('outbox')
    .where({ id, leased_by: lease, state: 'pending' })
    .update({ ...values, leased_by: null, leased_until: null });
  return settled > 0;
}

/**
 * Milliseconds until the next intent is due, or undefined when there is none. Skips intents that wait for an earlier
 * one.
 */
export async function nextDueMs(db: Knex, now: Date): Promise<number | undefined> {
  const { rows } = await db.raw<{ rows: { wait: number | null }[] }>(
    `SELECT 1000 * min(greatest(extract(epoch FROM o.next_try - :now::timestamptz),
         extract(epoch FROM o.leased_until - now()), 0))::float8 AS wait
       FROM outbox o WHERE o.state = 'pending'
        AND NOT EXISTS (SELECT 1 FROM outbox e WHERE e.object = o.object AND e.state = 'pending' AND e.id < o.id)`,
    { now },
  );
  return rows[0]?.wait ?? undefined;
}
