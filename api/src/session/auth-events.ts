/** Writes authentication events to the audit log (ASVS 5.0 16.3): user, address and outcome. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type Actor, type AuthenticationAction, type Change, writeAudit } from '../audit/write-audit.ts';
import { withTransaction } from '../db/transaction.ts';
import { createTokenBuckets } from './token-buckets.ts';

/** Source of a call without a caller. */
export interface Origin {
  requestId: string;
  address: string;
}

export interface AuthEvent {
  action: AuthenticationAction;
  outcome: 'success' | 'failure';
  /** Session, if there is one. */
  sessionId?: string | undefined;
  changes?: readonly Change[];
}

/** Rate limit for recorded failures of unknown names, per process: 20 at once, then one a minute. */
const UNKNOWN_NAMES = { burst: 20, perSecond: 1 / 60, maxKeys: 1 };
/** Replaces the typed name, because users sometimes type a password into the username field. */
export const UNKNOWN_NAME = '(unknown name)';

export async function recordAuthEvent(trx: Knex.Transaction, actor: Actor, event: AuthEvent, now: Date): Promise<void> {
  const { action, outcome, sessionId, changes = [] } = event;
  const resourceId = sessionId ?? actor.userId ?? randomUUID();
  const entry = { actor, resourceType: 'session', resourceId, resource: actor.username } as const;
  await writeAudit(trx, { ...entry, action, outcome, changes }, now);
}

/** Records failed logins. Limits those of unknown names and counts the omitted ones. */
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
