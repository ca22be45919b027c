/** Sessions, their refresh tokens, and the caller behind a session. */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { withTransaction } from '../db/transaction.ts';
import { Unauthorized } from '../errors.ts';
import type { Caller, Membership } from './caller.ts';
import { hashOfRefreshToken, newRefreshToken } from './tokens.ts';

/** A session ends this long after its login, whatever happens. */
export const SESSION_DAYS = 7;
/** A refresh token ends this long after it was given out: so long may a tab stay closed. */
export const REFRESH_HOURS = 24;
/** Two tabs may use the same token at once; later than this a used token is a stolen one (RFC 9700 4.14.2). */
export const REUSE_GRACE_SECONDS = 10;

export interface NewSession {
  sessionId: string;
  refreshToken: string;
}

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);

export async function openSession(trx: Knex, userId: string, now: Date): Promise<NewSession> {
  const sessionId = randomUUID();
  await trx('session').insert({
    id: sessionId,
    user_id: userId,
    created: now,
    expires: after(now, SESSION_DAYS * 86_400),
  });
  return { sessionId, refreshToken: await addRefreshToken(trx, sessionId, now) };
}

async function addRefreshToken(trx: Knex, sessionId: string, now: Date): Promise<string> {
  const token = newRefreshToken();
  await trx('refresh_token').insert({
    hash: hashOfRefreshToken(token),
    session_id: sessionId,
    created: now,
    expires: after(now, REFRESH_HOURS * 3600),
  });
  return token;
}

/** Uses up a refresh token for the next one; throws Unauthorized, and a reused token ends its whole session. */
export async function rotate(db: Knex, token: string, now: Date): Promise<NewSession & { userId: string }> {
  const outcome = await withTransaction(db, async (trx) => {
    const found = await trx('refresh_token as t')
      .join('session as s', 's.id', 't.session_id')
      .where('t.hash', hashOfRefreshToken(token))
      .forUpdate('t')
      .first(
        't.hash',
        't.used',
        't.expires',
        's.id as session_id',
        's.user_id',
        's.ended',
        's.expires as session_expires',
      );
    if (!found || found.ended || found.expires <= now || found.session_expires <= now) return undefined;
    if (found.used && after(found.used, REUSE_GRACE_SECONDS) < now) {
      await endSession(trx, found.session_id, 'refresh_token_reused', now);
      return undefined; // not thrown here: the end of the session must be committed
    }
    await trx('refresh_token').where({ hash: found.hash }).whereNull('used').update({ used: now });
    const refreshToken = await addRefreshToken(trx, found.session_id, now);
    return { sessionId: found.session_id as string, userId: found.user_id as string, refreshToken };
  });
  if (!outcome) throw new Unauthorized('token_invalid');
  return outcome;
}

export async function endSession(trx: Knex, sessionId: string, reason: string, now: Date): Promise<void> {
  await trx('session').where({ id: sessionId }).whereNull('ended').update({ ended: now, ended_reason: reason });
}

/** Ends all sessions of a user, but for the one to keep. */
export async function endSessionsOf(
  trx: Knex,
  userId: string,
  keep: string | null,
  reason: string,
  now: Date,
): Promise<void> {
  await trx('session')
    .where({ user_id: userId })
    .whereNull('ended')
    .modify((query) => {
      if (keep) query.whereNot({ id: keep });
    })
    .update({ ended: now, ended_reason: reason });
}

/** Removes what ended long ago. */
export async function sweepSessions(db: Knex, now: Date): Promise<void> {
  await db('session')
    .where('expires', '<', after(now, -30 * 86_400))
    .delete();
}

/** The user of a live session; undefined when the session, the account or all of the user's groups ended. */
export async function readCaller(db: Knex, userId: string, sessionId: string, now: Date): Promise<Caller | undefined> {
  const { rows } = await db.raw(
    `SELECT u.id, u.username, u.is_staff, u.is_superuser,
            count(m.group_id)::int AS memberships,
            coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'displayName', g.display_name,
              'isDefault', m.is_default, 'isGroupAdmin', m.is_group_admin) ORDER BY g.name)
              FILTER (WHERE g.active), '[]') AS groups
     FROM session s JOIN app_user u ON u.id = s.user_id
     LEFT JOIN membership m ON m.user_id = u.id LEFT JOIN user_group g ON g.id = m.group_id
     WHERE s.id = :sessionId AND u.id = :userId AND s.ended IS NULL AND s.expires > :now AND u.is_active
     GROUP BY u.id`,
    { sessionId, userId, now },
  );
  const row = rows[0];
  if (!row) return undefined;
  const groups = row.groups as Membership[];
  const staff = row.is_staff || row.is_superuser;
  if (row.memberships > 0 && groups.length === 0 && !staff) return undefined; // every group is disabled
  return {
    userId: row.id,
    username: row.username,
    sessionId,
    isStaff: row.is_staff,
    isSuperuser: row.is_superuser,
    groups,
  };
}
