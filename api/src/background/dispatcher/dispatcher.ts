/**
 * Carries out the outbox, in order per object, in any number of replicas. An intent is leased during its call, and the
 * lease of a dead process expires. A call may therefore repeat; every intent allows it.
 */

import { backoffMs } from '@seqpanel/crds/kube/backoff.ts';
import type { KubeObject, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { recordApplied } from '../../configuration/owned-rows.ts';
import type { Loop } from '../../live/wake.ts';
import type { Intent } from '../../outbox/intent.ts';
import { createLoops } from '../several-loops.ts';
import { type Carrier, carryOut } from './carry-out.ts';
import { ChangedElsewhere, outcomeOf } from './intent-outcome.ts';
import { keepLease, nextDueMs, settleIntent, type TakenIntent, takeIntent } from './take-intent.ts';

const POLL_MS = 5_000;
/** A launch made during a long outage of the cluster must be sent soon after it. */
const RETRY = { baseMs: 500, maxMs: 5_000 };
/** Intents carried out in parallel by one process. */
const AT_ONCE = 4;
/** Time limit for one intent, including its database and storage access. */
const CALL_MS = 30_000;
const MIN_REST_MS = 50;

export interface DispatcherOptions extends Carrier {
  log: Logger;
  now: () => Date;
  /** Called in the transaction that marks the intent as failed, so that its feature can record the failure. */
  onFailed: (trx: Knex.Transaction, intent: Intent, message: string) => Promise<void>;
  /** Called when the object of an intent was changed by somebody else. */
  onChangedElsewhere?: (kind: string, object: Stored<KubeObject>) => Promise<void>;
}

export function createDispatcher(options: DispatcherOptions): Loop {
  return createLoops(AT_ONCE, {
    name: 'outbox dispatcher',
    log: options.log,
    pollMs: POLL_MS,
    work: async (signal) => {
      while (!signal.aborted && (await dispatchOne(options, signal)));
      const wait = await nextDueMs(options.db, options.now());
      return wait === undefined ? undefined : Math.max(MIN_REST_MS, wait);
    },
  });
}

/** Carries out the next due intent. Returns false when there is none. */
export async function dispatchOne(options: DispatcherOptions, signal: AbortSignal): Promise<boolean> {
  const taken = await takeIntent(options.db, options.now());
  if (!taken) return false;
  let error: unknown;
  let applied: Stored<KubeObject> | undefined;
  const release = keepLease(options.db, taken);
  try {
    applied = await carryOut(options, taken.intent, AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]));
  } catch (thrown) {
    error = thrown;
  } finally {
    release();
  }
  if (signal.aborted && error !== undefined) {
    // It is unknown whether the call arrived, so the next process repeats it.
    await options.db.transaction((trx) => settleIntent(trx, taken, {}));
    return false;
  }
  await recordOutcome(options, taken, error, applied);
  if (error instanceof ChangedElsewhere && taken.intent.type === 'apply')
    await options.onChangedElsewhere?.(taken.intent.kind, error.found);
  return true;
}

async function recordOutcome(
  { db, log, now, onFailed }: DispatcherOptions,
  taken: TakenIntent,
  error: unknown,
  applied: Stored<KubeObject> | undefined,
): Promise<void> {
  const { intent, object, attempts } = taken;
  const about = { object, ...intent.correlation };
  const outcome = outcomeOf(intent, error);
  if (outcome.state === 'retry') {
    const wait = backoffMs(attempts, RETRY);
    log.warn({ err: error, ...about, wait }, 'intent failed, retrying');
    const next = new Date(now().getTime() + wait);
    await db.transaction((trx) => settleIntent(trx, taken, { next_try: next, last_error: outcome.message }));
    return;
  }
  const failed = outcome.state === 'failed';
  const values = { state: outcome.state, finished: now(), last_error: failed ? outcome.message : null };
  await db.transaction(async (trx) => {
    if (!(await settleIntent(trx, taken, values))) return;
    if (applied) await recordApplied(trx, applied);
    if (failed) await onFailed(trx, intent, outcome.message);
  });
  if (failed) log.error({ err: error, ...about }, 'intent refused');
  else log.info(about, 'intent carried out');
}
