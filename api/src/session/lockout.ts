/** Stores failed logins by name and address in Postgres, so that they survive restarts and cover all processes. */
import type { Knex } from 'knex';
import { withTransaction } from '../db/transaction.ts';
import { decideAttempt, type Failures, KNOWN_ADDRESS_DAYS } from './lockout-rules.ts';

/** Name and address whose failures are counted. */
export interface Subject {
  /** A loginName. */
  name: string;
  /** An addressKey. */
  address: string;
}

export interface CountedAttempt extends Subject {
  /** Also counted for all unknown addresses. */
  isCountedAnywhere: boolean;
  /** Locks the name if this attempt fails. */
  locks: boolean;
}

/** Address of the row for all addresses. */
const ANYWHERE = '';
/** Maximum counts kept for unknown names. The oldest are dropped first. */
const MAX_UNKNOWN_ROWS = 50_000;
const KEPT_MS = 86_400_000;
const DAY_MS = 86_400_000;

/** Normalizes a username for counting and lookup: ignores case and surrounding blanks. */
export const loginName = (username: string): string => username.trim().toLowerCase().slice(0, 200);

/** Counts an attempt as failed. Returns undefined when the name is locked for this address. */
export async function countAttempt(
  db: Knex,
  { name, address }: Subject,
  now: Date,
): Promise<CountedAttempt | undefined> {
  return await oneAtATime(db, name, async (trx) => {
    const rows: (Failures & { address: string })[] = await trx('login_attempt')
      .where({ username: name })
      .whereIn('address', [ANYWHERE, address]);
    const known: { address: string } | undefined = await trx('login_address as a')
      .join('app_user as u', 'u.id', 'a.user_id')
      .whereRaw('lower(u.username) = ?', [name])
      .where('a.address', address)
      .where('a.last', '>', new Date(now.getTime() - KNOWN_ADDRESS_DAYS * DAY_MS))
      .first('a.address');
    const of = (where: string) => rows.find((row) => row.address === where);
    const attempt = { here: of(address), anywhere: of(ANYWHERE), isKnownAddress: known !== undefined };
    const decision = decideAttempt(attempt, now);
    if (!decision.admitted) return undefined;
    const save = (where: string, { failures, since, last }: Failures) =>
      trx('login_attempt')
        .insert({ username: name, address: where, failures, since, last })
        .onConflict(['username', 'address'])
        .merge();
    await save(address, decision.here);
    if (decision.anywhere) await save(ANYWHERE, decision.anywhere);
    return { name, address, isCountedAnywhere: decision.anywhere !== undefined, locks: decision.locks };
  });
}

/** After a correct password: resets the count of this address and uncounts this attempt. */
export async function settleAttempt(db: Knex, attempt: CountedAttempt): Promise<void> {
  await oneAtATime(db, attempt.name, async (trx) => {
    await trx('login_attempt').where({ username: attempt.name, address: attempt.address }).delete();
    if (attempt.isCountedAnywhere) await takeBack(trx, attempt.name, ANYWHERE);
  });
}

/** Uncounts an attempt whose password could not be checked. Other attempts stay counted. */
export async function forgiveAttempt(db: Knex, attempt: CountedAttempt): Promise<void> {
  await oneAtATime(db, attempt.name, async (trx) => {
    await takeBack(trx, attempt.name, attempt.address);
    if (attempt.isCountedAnywhere) await takeBack(trx, attempt.name, ANYWHERE);
  });
}

async function takeBack(trx: Knex, username: string, address: string): Promise<void> {
  await trx('login_attempt')
    .where({ username, address })
    .update({ failures: trx.raw('greatest(failures - 1, 0)') });
}

/** Serializes changes to the counts of one name across all processes. */
async function oneAtATime<T>(db: Knex, name: string, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  return await withTransaction(db, async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [`login ${name}`]);
    return await work(trx);
  });
}

/** Records that the account was used from this address. */
export async function rememberAddress(trx: Knex, userId: string, address: string, now: Date): Promise<void> {
  await trx('login_address')
    .insert({ user_id: userId, address, last: now })
    .onConflict(['user_id', 'address'])
    .merge(['last']);
}

/** Removes expired counts, old addresses, and the oldest counts of unknown names above `maxUnknown`. */
export async function sweepAttempts(db: Knex, now: Date, maxUnknown = MAX_UNKNOWN_ROWS): Promise<void> {
  await db('login_attempt')
    .where('last', '<', new Date(now.getTime() - KEPT_MS))
    .delete();
  await db('login_address')
    .where('last', '<', new Date(now.getTime() - KNOWN_ADDRESS_DAYS * DAY_MS))
    .delete();
  await db.raw(
    `DELETE FROM login_attempt a
     WHERE last <= (SELECT last FROM login_attempt ORDER BY last DESC OFFSET ? LIMIT 1)
       AND NOT EXISTS (SELECT 1 FROM app_user u WHERE lower(u.username) = a.username)`,
    [maxUnknown],
  );
}
