/**
 * Queue of tasks to ingest. A turn is leased to one process. When the task changes during its turn, it gets another
 * one. Lease times use the clock of Postgres, which all replicas share.
 */

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';

/** LISTEN channel that wakes the ingest loops. */
export const INGEST_CHANNEL = 'seqpanel_ingest';
/** Duration of a lease. A process renews it every third of this. */
export const TURN_SECONDS = 20;

export interface Turn {
  task: string;
  lease: string;
  wanted: number;
  /** Failed attempts before this one. */
  attempts: number;
}

/** Makes the task due now. A task with a bad file keeps its retry delay until it has ended. */
export async function wantIngest(trx: Knex.Transaction, taskId: string, now: Date, hasEnded = false): Promise<void> {
  await trx.raw(
    `INSERT INTO ingest_turn AS t (task_id, next_try) VALUES (:taskId, :now) ON CONFLICT (task_id) DO UPDATE
       SET wanted = t.wanted + 1,
           attempts = CASE WHEN :hasEnded THEN 0 ELSE t.attempts END,
           next_try = CASE WHEN t.attempts = 0 OR :hasEnded THEN least(t.next_try, excluded.next_try) ELSE t.next_try END`,
    { taskId, now, hasEnded },
  );
  await trx.raw('SELECT pg_notify(?, ?)', [INGEST_CHANNEL, '']);
}

/** Leases the turn that has been due longest. */
export async function takeTurn(db: Knex, now: Date): Promise<Turn | undefined> {
  const { rows } = await db.raw<{ rows: Turn[] }>(
    `UPDATE ingest_turn SET leased_by = :lease, leased_until = now() + make_interval(secs => :seconds)
      WHERE task_id = (SELECT task_id FROM ingest_turn
        WHERE next_try <= :now AND (leased_until IS NULL OR leased_until <= now())
        ORDER BY next_try, task_id FOR UPDATE SKIP LOCKED LIMIT 1)
      RETURNING task_id AS task, leased_by AS lease, wanted, attempts`,
    { lease: randomUUID(), seconds: TURN_SECONDS, now },
  );
  return rows[0];
}

export async function renewTurn(db: Knex, { task, lease }: Turn): Promise<void> {
  await db.raw(
    'UPDATE ingest_turn SET leased_until = now() + make_interval(secs => ?) WHERE task_id = ? AND leased_by = ?',
    [TURN_SECONDS, task, lease],
  );
}

/** Removes the turn, unless the task changed meanwhile. */
export async function endTurn(db: Knex, turn: Turn, now: Date): Promise<void> {
  const gone = await db('ingest_turn')
    .where({ task_id: turn.task, leased_by: turn.lease, wanted: turn.wanted })
    .delete();
  if (gone === 0) await putBack(db, turn, { next_try: now, attempts: 0 });
}

/** Waits for the next change of a running task, at most until `next`. */
export async function restTurn(db: Knex, turn: Turn, now: Date, next: Date): Promise<void> {
  const due = db.raw('CASE WHEN wanted = ? THEN ?::timestamptz ELSE ?::timestamptz END', [turn.wanted, next, now]);
  await putBack(db, turn, { next_try: due, attempts: 0 });
}

/** Retries at `next`: the turn failed, or another process was writing a part. */
export async function retryTurn(db: Knex, turn: Turn, next: Date, attempts: number): Promise<void> {
  await putBack(db, turn, { next_try: next, attempts });
}

async function putBack(db: Knex, { task, lease }: Turn, values: Record<string, unknown>): Promise<void> {
  await db('ingest_turn')
    .where({ task_id: task, leased_by: lease })
    .update({ ...values, leased_by: null, leased_until: null });
}

/** Milliseconds until the next turn is due, or undefined when there is none. */
export async function nextTurnMs(db: Knex, now: Date): Promise<number | undefined> {
  const { rows } = await db.raw<{ rows: { wait: number | null }[] }>(
    `SELECT 1000 * min(greatest(extract(epoch FROM next_try - :now::timestamptz),
         extract(epoch FROM leased_until - now()), 0))::float8 AS wait FROM ingest_turn`,
    { now },
  );
  return rows[0]?.wait ?? undefined;
}
