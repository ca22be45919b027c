/** Failed logins by name, kept in Postgres so that a restart or another process forgives nothing (SPEC 8, 9). */
import type { Knex } from 'knex';

/** DESIGN 8: after 5 failed logins in a row. */
export const MAX_FAILURES = 5;
export const LOCK_MINUTES = 30;

/**
 * Counts an attempt before its password is looked at, so that many at once cannot pass the limit; false when the name
 * is locked. The fifth attempt sets the lock at once; a success removes the row again.
 */
export async function countAttempt(db: Knex, username: string, now: Date): Promise<boolean> {
  const lockedUntil = new Date(now.getTime() + LOCK_MINUTES * 60_000);
  const { rows } = await db.raw(
    `INSERT INTO login_failure AS f (username, failures, last) VALUES (:username, 1, :now)
     ON CONFLICT (username) DO UPDATE SET
       failures = CASE WHEN f.locked_until <= :now THEN 1 ELSE f.failures + 1 END,
       locked_until = CASE
         WHEN f.locked_until <= :now THEN NULL
         WHEN f.locked_until IS NULL AND f.failures + 1 >= :max THEN :lockedUntil::timestamptz
         ELSE f.locked_until END,
       last = :now
     RETURNING failures`,
    { username, now, max: MAX_FAILURES, lockedUntil },
  );
  return rows[0].failures <= MAX_FAILURES;
}

/** After a right password, or a reset one: the count begins anew. */
export async function forgetFailures(db: Knex, username: string): Promise<void> {
  await db('login_failure')
    .where({ username: loginName(username) })
    .delete();
}

/** Takes back a counted attempt that could not be judged. */
export async function forgiveAttempt(db: Knex, username: string): Promise<void> {
  await db('login_failure')
    .where({ username })
    .update({ failures: db.raw('greatest(failures - 1, 0)'), locked_until: null });
}

/** Names that were never right and not tried for a day are dropped, so that guessing does not fill the table. */
export async function sweepFailures(db: Knex, now: Date): Promise<void> {
  await db('login_failure')
    .where('last', '<', new Date(now.getTime() - 86_400_000))
    .delete();
}

/** Under which name attempts are counted: names differ by more than case. */
export const loginName = (username: string): string => username.trim().toLowerCase().slice(0, 200);
