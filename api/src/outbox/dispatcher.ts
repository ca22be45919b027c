/**
 * Carries the outbox out, in order per object, in any number of replicas: a row is locked while its call is under way
 * (SKIP LOCKED), and a process that dies gives it back. Calls may therefore repeat; every intent allows it.
 */

import { backoffMs } from '@seqpanel/crds/kube/backoff.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createLoop, type Loop } from '../live/wake.ts';
import { type Carrier, carryOut } from './carry-out.ts';
import type { Intent } from './intent.ts';
import { verdictOf } from './verdict.ts';

const POLL_MS = 5_000;
/** A launch made during a long outage of the cluster must go out soon after it. */
const RETRY = { baseMs: 500, maxMs: 5_000 };

interface OutboxRow {
  id: string;
  object: string;
  intent: Intent;
  attempts: number;
}

export interface DispatcherOptions extends Carrier {
  log: Logger;
  now: () => Date;
  /** In the transaction of the intent's end: what the feature that wrote it wants to record. */
  onFailed: (trx: Knex.Transaction, intent: Intent, message: string) => Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Loop {
  return createLoop({
    name: 'The outbox dispatcher',
    log: options.log,
    pollMs: POLL_MS,
    work: async (signal) => {
      while (!signal.aborted && (await dispatchOne(options, signal)));
      return await restMs(options);
    },
  });
}

/** Takes the next row that is due; false when there is none. */
export async function dispatchOne(options: DispatcherOptions, signal: AbortSignal): Promise<boolean> {
  const { db, log, now } = options;
  return await db.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: OutboxRow[] }>(
      `SELECT o.id, o.object, o.intent, o.attempts FROM outbox o
        WHERE o.state = 'pending' AND o.next_try <= ?
          AND NOT EXISTS (SELECT 1 FROM outbox e WHERE e.object = o.object AND e.state = 'pending' AND e.id < o.id)
        ORDER BY o.id FOR UPDATE OF o SKIP LOCKED LIMIT 1`,
      [now()],
    );
    const row = rows[0];
    if (!row) return false;
    let error: unknown;
    try {
      // Not in this transaction's connection: a database error of the call must not undo what is recorded here.
      await carryOut(options, row.intent, signal);
    } catch (thrown) {
      error = thrown;
    }
    if (signal.aborted && error !== undefined) return false;
    const verdict = verdictOf(row.intent, error);
    if (verdict.state === 'retry') {
      const wait = backoffMs(row.attempts + 1, RETRY);
      log.warn({ err: error, object: row.object, wait }, 'An intent will be tried again');
      await trx('outbox')
        .where({ id: row.id })
        .update({
          attempts: row.attempts + 1,
          next_try: new Date(now().getTime() + wait),
          last_error: verdict.message,
        });
      return true;
    }
    await trx('outbox')
      .where({ id: row.id })
      .update({
        state: verdict.state,
        finished: now(),
        attempts: row.attempts + 1,
        last_error: verdict.state === 'failed' ? verdict.message : null,
      });
    if (verdict.state === 'failed') {
      log.error({ err: error, object: row.object }, 'An intent was refused');
      await options.onFailed(trx, row.intent, verdict.message);
    }
    return true;
  });
}

async function restMs({ db, now }: DispatcherOptions): Promise<number | undefined> {
  const row = await db('outbox').where({ state: 'pending' }).min('next_try as next').first();
  return row?.next ? Math.max(50, row.next.getTime() - now().getTime()) : undefined;
}
