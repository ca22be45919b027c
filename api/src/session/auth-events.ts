/** Authentication events in the audit log (ASVS 5.0 16.3): who, from which address, with which outcome. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type Actor, type AuthenticationAction, type Change, writeAudit } from '../audit/write-audit.ts';
import { withTransaction } from '../db/transaction.ts';
import { createTokenBuckets } from './token-buckets.ts';

/** Where a call came from, for calls without a caller. */
export interface Origin {
  requestId: string;
  address: string;
}

export interface AuthEvent {
  action: AuthenticationAction;
  outcome: 'success' | 'failure';
  /** The session where there is one. */
  sessionId?: string | undefined;
  changes?: readonly Change[];
}

/** Recorded failures of names without an account: 20 at once, one a minute after that, of each process. */
const UNKNOWN_NAMES = { burst: 20, perSecond: 1 / 60, maxKeys: 1 };
/** What was typed is not recorded: people type passwords into the field of the username. */
export const UNKNOWN_NAME = '(unknown name)';

export async function recordAuthEvent(trx: Knex.Transaction, actor: Actor, event: AuthEvent, now: Date): Promise<void> {
  const { action, outcome, sessionId, changes = [] } = event;
  const resourceId = sessionId ?? actor.userId ?? randomUUID();
  const entry = { actor, resourceType: 'session', resourceId, resource: actor.username } as const;
  await writeAudit(trx, { ...entry, action, outcome, changes }, now);
}

/** Records failed logins; those of unknown names at a bounded rate, with the number that was left out. */
export function createFailureRecorder(db: Knex, now: () => Date) {
  const unknownNames = createTokenBuckets(UNKNOWN_NAMES, now);
  let leftOut = 0;
  return async (
    user: { id: string; username: string } | undefined,
    origin: Origin,
    { action, locks }: { action: 'login' | 'password_change'; locks: boolean },
  ): Promise<void> => {
    if (!user && unknownNames.take('') > 0) {
      leftOut++;
      return;
    }
    const actor = { userId: user?.id ?? null, username: user?.username ?? UNKNOWN_NAME, ...origin };
    const changes = user || leftOut === 0 ? [] : [{ field: 'failures_not_recorded', from: null, to: leftOut }];
    if (!user) leftOut = 0;
    await withTransaction(db, async (trx) => {
      await recordAuthEvent(trx, actor, { action, outcome: 'failure', changes }, now());
      if (locks) await recordAuthEvent(trx, actor, { action: 'lock', outcome: 'success' }, now());
    });
  };
}
export type FailureRecorder = ReturnType<typeof createFailureRecorder>;
