/** Changes the caller's own password. */
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { withTransaction } from '../db/transaction.ts';
import { Forbidden, Invalid } from '../errors.ts';
import { addressKey } from '../http/client-address.ts';
import type { Origin } from './auth-events.ts';
import { countAttempt, forgiveAttempt, loginName, settleAttempt } from './lockout.ts';
import type { LoginDeps } from './login.ts';
import { newPasswordProblem } from './new-password.ts';
import { endSessionsOf } from './session-store.ts';

export interface PasswordChange {
  current_password: string;
  new_password: string;
  repeat_password: string;
}

/**
 * Throws Invalid for the first broken rule. Ends the user's other sessions. Failed current passwords count as failed
 * logins, so that a stolen access token cannot be used to guess the password.
 */
export async function changePassword(
  { db, hasher, recordFailure, now }: Omit<LoginDeps, 'directory'>,
  caller: { userId: string; sessionId: string },
  change: PasswordChange,
  actor: Actor & Origin,
): Promise<void> {
  if (change.current_password === '') throw new Invalid('password_current_required');
  const user = (await db('app_user').where({ id: caller.userId }).first('id', 'username', 'password_hash'))!;
  const subject = { name: loginName(user.username), address: addressKey(actor.address) };
  const attempt = await countAttempt(db, subject, now());
  if (!attempt) throw new Forbidden('account_locked');
  const isRight = await hasher.verify(user.password_hash, change.current_password).catch(async (error) => {
    await forgiveAttempt(db, attempt);
    throw error;
  });
  if (!isRight) {
    await recordFailure(user, actor, { action: 'password_change', locks: attempt.locks });
    throw new Invalid('password_current_incorrect');
  }
  await settleAttempt(db, attempt);
  const problem = await newPasswordProblem(change.new_password);
  if (problem) throw new Invalid(problem);
  if (change.new_password !== change.repeat_password) throw new Invalid('password_repeat');
  if (change.new_password === change.current_password) throw new Invalid('password_unchanged');
  const hash = await hasher.hash(change.new_password);
  await withTransaction(db, async (trx) => {
    const values = { password_hash: hash, password_changed: now(), must_change_password: false };
    await trx('app_user').where({ id: caller.userId }).update(values);
    await endSessionsOf(trx, caller.userId, caller.sessionId, 'password_changed', now());
    const entry = { actor, resourceType: 'user', resourceId: caller.userId, resource: user.username } as const;
    const changes = [{ field: 'password', from: null, to: null }]; // records the change without the value
    await writeAudit(trx, { ...entry, action: 'password_change', outcome: 'success', changes }, now());
  });
}
