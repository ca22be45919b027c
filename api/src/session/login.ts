/** Login and change of password (SPEC 5, 8). */
import { passwordProblems } from '@seqpanel/crds/password-rules.ts';
import type { Knex } from 'knex';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { withTransaction } from '../db/transaction.ts';
import { Forbidden, Invalid, Unauthorized } from '../errors.ts';
import type { Directory } from './directory.ts';
import { countAttempt, forgetFailures, forgiveAttempt, loginName } from './lockout.ts';
import type { PasswordHasher } from './passwords.ts';
import { endSessionsOf, type NewSession, openSession } from './session-store.ts';

export interface LoginDeps {
  db: Knex;
  hasher: PasswordHasher;
  directory: Directory;
  now: () => Date;
}

/**
 * Opens a session. An unknown name and a wrong password fail alike in text, code and time, and both count; that an
 * account or its groups are disabled is told only to who knows the password.
 */
export async function logIn(
  { db, hasher, directory, now }: LoginDeps,
  username: string | undefined,
  password: string | undefined,
): Promise<NewSession & { userId: string }> {
  if (!username?.trim()) throw new Invalid('login_username_required');
  if (!password) throw new Invalid('login_password_required');
  const name = loginName(username);
  if (!(await countAttempt(db, name, now()))) throw new Forbidden('account_locked');
  const user = await db('app_user')
    .whereRaw('lower(username) = ?', [name])
    .first('id', 'username', 'password_hash', 'is_ldap');
  const right = user?.is_ldap
    ? await directory.verify(user.username, password).catch(async (error) => {
        await forgiveAttempt(db, name); // the directory's failure is not the user's
        throw error;
      })
    : await hasher.verify(user?.password_hash, password);
  if (!right) throw new Unauthorized('login_failed');
  await forgetFailures(db, name);
  return await openSessionFor(db, user.id, now());
}

/** Opens a session for who has proved to be that user; Forbidden when the account, or every group of it, is disabled. */
export async function openSessionFor(db: Knex, userId: string, now: Date): Promise<NewSession & { userId: string }> {
  const user = await db('app_user').where({ id: userId }).first('is_active', 'is_staff', 'is_superuser');
  if (!user.is_active) throw new Forbidden('account_disabled');
  const groups = await db('membership as m')
    .join('user_group as g', 'g.id', 'm.group_id')
    .where('m.user_id', userId)
    .select('g.active');
  // Staff may still come in: only they can enable a group again.
  const staff = user.is_staff || user.is_superuser;
  if (!staff && groups.length > 0 && !groups.some((group) => group.active)) throw new Forbidden('group_disabled');
  return { userId, ...(await withTransaction(db, (trx) => openSession(trx, userId, now))) };
}

export interface PasswordChange {
  current_password: string;
  new_password: string;
  repeat_password: string;
}

/** Throws Invalid for the first broken rule. Ends the user's other sessions. */
export async function changePassword(
  { db, hasher, now }: Pick<LoginDeps, 'db' | 'hasher' | 'now'>,
  caller: { userId: string; sessionId: string },
  change: PasswordChange,
  actor: Actor,
): Promise<void> {
  if (change.current_password === '') throw new Invalid('password_current_required');
  const user = await db('app_user').where({ id: caller.userId }).first('username', 'password_hash');
  if (!(await hasher.verify(user.password_hash, change.current_password)))
    throw new Invalid('password_current_incorrect');
  const problem = passwordProblems(change.new_password)[0];
  if (problem) throw new Invalid(problem);
  if (change.new_password !== change.repeat_password) throw new Invalid('password_repeat');
  if (change.new_password === change.current_password) throw new Invalid('password_unchanged');
  const hash = await hasher.hash(change.new_password);
  await withTransaction(db, async (trx) => {
    const values = { password_hash: hash, password_changed: now(), must_change_password: false };
    await trx('app_user').where({ id: caller.userId }).update(values);
    await endSessionsOf(trx, caller.userId, caller.sessionId, 'password_changed', now());
    const entry = { actor, resourceType: 'user', resourceId: caller.userId, resource: user.username } as const;
    const changes = [{ field: 'password', from: null, to: null }]; // that it changed, not what it was
    await writeAudit(trx, { ...entry, action: 'update', changes }, now());
  });
}
