/** Logs in by username and password, and opens sessions for every way to log in. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';
import { withTransaction } from '../db/transaction.ts';
import { Forbidden, Invalid, Unauthorized } from '../errors.ts';
import { addressKey } from '../http/client-address.ts';
import { type FailureRecorder, type Origin, recordAuthEvent, UNKNOWN_NAME } from './auth-events.ts';
import type { Directory } from './directory.ts';
import { countAttempt, forgiveAttempt, loginName, rememberAddress, settleAttempt } from './lockout.ts';
import { openSession } from './open-session.ts';
import type { PasswordHasher } from './passwords.ts';
import type { NewSession } from './session-store.ts';

export interface LoginDeps {
  db: Knex;
  hasher: PasswordHasher;
  /** Undefined when no directory is configured. */
  directory: Directory | undefined;
  recordFailure: FailureRecorder;
  now: () => Date;
}

/**
 * A directory takes longer for a name that it knows. With a directory, refusals are delayed to a multiple of this step,
 * so that their time reveals nothing while the directory answers within one step.
 */
const REFUSAL_STEP_MS = 250;

interface Account {
  id: string;
  username: string;
  password_hash: string | null;
  is_ldap: boolean;
}

/**
 * Opens a session. An unknown name and a wrong password fail with the same text, code and time, and both are counted.
 * Only a caller with the right password learns that the account or its groups are disabled. `identified` receives the
 * user for the log.
 */
export async function logIn(
  deps: LoginDeps,
  username: string | undefined,
  password: string | undefined,
  origin: Origin,
  identified: (username: string) => void = () => {},
): Promise<NewSession & { userId: string }> {
  if (!username?.trim()) throw new Invalid('login_username_required');
  if (!password) throw new Invalid('login_password_required');
  const began = performance.now();
  try {
    const user = await provePassword(deps, loginName(username), password, origin, identified);
    return await openSessionFor(deps.db, user.id, origin, deps.now());
  } catch (error) {
    if (deps.directory) await wait(REFUSAL_STEP_MS - ((performance.now() - began) % REFUSAL_STEP_MS));
    throw error;
  }
}

async function provePassword(
  { db, hasher, directory, recordFailure, now }: LoginDeps,
  name: string,
  password: string,
  origin: Origin,
  identified: (username: string) => void,
): Promise<Account> {
  const user: Account | undefined = await db('app_user')
    .whereRaw('lower(username) = ?', [name])
    .first('id', 'username', 'password_hash', 'is_ldap');
  identified(user?.username ?? UNKNOWN_NAME);
  const attempt = await countAttempt(db, { name, address: addressKey(origin.address) }, now());
  if (!attempt) throw new Forbidden('account_locked');
  const failed = () => recordFailure(user, origin, { action: 'login', locks: attempt.locks });
  // Directory accounts have no hash. Hashes anyway, to take equally long.
  let isRight = await hasher.verify(user?.is_ldap ? null : user?.password_hash, password).catch(async (error) => {
    await forgiveAttempt(db, attempt);
    throw error;
  });
  // Asks the directory for every unproven name, so that failures do not reveal who is in it.
  if (!isRight && directory && !user?.is_ldap) {
    await directory.lookUp(name).catch(async (error) => {
      await failed();
      throw error;
    });
  }
  if (directory && user?.is_ldap) {
    isRight = await directory.verify(user.username, password).catch(async (error) => {
      await forgiveAttempt(db, attempt); // the user did not cause this failure
      throw error;
    });
  }
  if (!user || !isRight) {
    await failed();
    throw new Unauthorized('login_failed');
  }
  await settleAttempt(db, attempt);
  return user;
}

/**
 * Opens a session for an authenticated user. Throws Forbidden when the account is disabled or expired, or all its
 * groups are disabled.
 */
export async function openSessionFor(
  db: Knex,
  userId: string,
  origin: Origin,
  now: Date,
): Promise<NewSession & { userId: string }> {
  const user = await db('app_user')
    .where({ id: userId })
    .first('username', 'is_active', 'is_staff', 'is_superuser', 'expires');
  if (!user?.is_active || (user.expires && user.expires <= now)) throw new Forbidden('account_disabled');
  const groups: { active: boolean }[] = await db('membership as m')
    .join('user_group as g', 'g.id', 'm.group_id')
    .where('m.user_id', userId)
    .select('g.active');
  // Staff can still log in, because only they can enable a group again.
  const staff = user.is_staff || user.is_superuser;
  if (!staff && groups.length > 0 && !groups.some((group) => group.active)) throw new Forbidden('group_disabled');
  return await withTransaction(db, async (trx) => {
    const opened = await openSession(trx, userId, now);
    await rememberAddress(trx, userId, addressKey(origin.address), now);
    const actor = { userId, username: user.username, ...origin };
    await recordAuthEvent(trx, actor, { action: 'login', outcome: 'success', sessionId: opened.sessionId }, now);
    return { userId, ...opened };
  });
}
