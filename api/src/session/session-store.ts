/** Stores sessions and reads the caller of a session. */
import type { Knex } from 'knex';
import { runPrepared } from '../db/prepared.ts';
import type { AppUserTable, SessionTable } from '../db/tables/accounts.ts';
import type { Caller, Membership } from '../http/caller.ts';
import { SETTINGS } from '../settings/definitions.ts';

/**
 * Time added to the automatic logout before an idle session ends (ASVS 5.0 7.3.1). The console logs out earlier by
 * itself, and calls the api every 5 minutes while a user is active without other calls.
 */
export const IDLE_SLACK_MINUTES = 15;
/** Precision of a session's last call, which limits writes to one a minute per session. */
const ACTIVE_STEP_SECONDS = 60;

export interface NewSession {
  sessionId: string;
  refreshToken: string;
}

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);

export async function endSession(trx: Knex, sessionId: string, reason: string, now: Date): Promise<void> {
  await trx('session').where({ id: sessionId }).whereNull('ended').update({ ended: now, ended_reason: reason });
}

/** Ends all sessions of a user except `keep`. */
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

/** Removes sessions that ended long ago. */
export async function sweepSessions(db: Knex, now: Date): Promise<void> {
  await db('session')
    .where('expires', '<', after(now, -30 * 86_400))
    .delete();
}

/** Marks sessions as used, at each call and during calls that take hours. */
export async function markActive(db: Knex, sessionIds: readonly string[], now: Date): Promise<void> {
  if (sessionIds.length > 0) await db('session').whereIn('id', sessionIds).update({ active: now });
}

type CallerRow = Pick<
  AppUserTable,
  'id' | 'username' | 'is_staff' | 'is_superuser' | 'is_demo' | 'must_change_password'
> &
  Pick<SessionTable, 'active'> & { /** Disabled groups included. */ memberships: number; groups: Membership[] };

const CALLER = `SELECT u.id, u.username, u.is_staff, u.is_superuser, u.is_demo, u.must_change_password, s.active,
    count(m.group_id)::int AS memberships,
    coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'displayName', g.display_name,
      'isDefault', m.is_default, 'isGroupAdmin', m.is_group_admin) ORDER BY g.name)
      FILTER (WHERE g.active), '[]') AS groups
  FROM session s JOIN app_user u ON u.id = s.user_id
  LEFT JOIN membership m ON m.user_id = u.id LEFT JOIN user_group g ON g.id = m.group_id
  WHERE s.id = $1 AND u.id = $2 AND s.ended IS NULL AND s.expires > $3 AND u.is_active
    AND (u.expires IS NULL OR u.expires > $3)
    AND coalesce(s.active, s.created) + make_interval(mins => $4 + coalesce(u.auto_logout_timeout,
      (SELECT (value #>> '{}')::int FROM setting WHERE name = 'auto_logout_timeout'), $5)) > $3
  GROUP BY u.id, s.id`;

/**
 * Returns the user of a live session and marks it as used. Undefined when the session or the account ended, all of the
 * user's groups are disabled, or the session was idle for too long.
 */
export async function readCaller(db: Knex, userId: string, sessionId: string, now: Date): Promise<Caller | undefined> {
  const values = [sessionId, userId, now, IDLE_SLACK_MINUTES, SETTINGS.auto_logout_timeout.default];
  const [row] = await runPrepared<CallerRow>(db, 'caller', CALLER, values);
  if (!row) return undefined;
  const { groups } = row;
  const staff = row.is_staff || row.is_superuser;
  if (row.memberships > 0 && groups.length === 0 && !staff) return undefined; // every group is disabled
  if (!row.active || after(row.active, ACTIVE_STEP_SECONDS) <= now) await markActive(db, [sessionId], now);
  return {
    userId: row.id,
    username: row.username,
    sessionId,
    isStaff: row.is_staff,
    isSuperuser: row.is_superuser,
    isDemo: row.is_demo,
    mustChangePassword: row.must_change_password,
    groups,
  };
}
