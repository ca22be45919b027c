/** The caller's own data that the browser session keeps [AUTH-14], and changes to it. */
import { emailProblem, personNameProblem } from '@seqpanel/crds/account-rules.ts';
import type { Knex } from 'knex';
import { type Actor, changesBetween, writeAudit } from '../audit/write-audit.ts';
import { runPrepared } from '../db/prepared.ts';
import type { AppUserTable } from '../db/tables/accounts.ts';
import type { SettingValue } from '../db/tables/configuration.ts';
import { withTransaction } from '../db/transaction.ts';
import { Invalid, NotFound } from '../errors.ts';
import type { AnswerOf, Call } from '../feature.ts';
import type { SettingName } from '../settings/definitions.ts';
import { settingOf } from '../settings/read.ts';

export type Profile = AnswerOf<'getProfile'>;

/** Days before a password expires at which the notice appears. */
const EXPIRY_NOTICE_DAYS = 14;

type ProfileRow = Omit<AppUserTable, 'password_hash'> & {
  has_password: boolean;
  groups: Profile['groups'];
  settings: { [name in SettingName]?: SettingValue };
};

const PROFILE = `SELECT u.id, u.username, u.first_name, u.last_name, u.email, u.is_staff, u.is_superuser, u.is_ldap,
   u.organization, u.lang, u.auto_logout_timeout, u.autogrouping_rule, u.must_change_password, u.password_changed,
   u.password_hash IS NOT NULL AND NOT u.is_ldap AS has_password,
   (SELECT coalesce(json_agg(json_build_object('id', g.id, 'name', g.name, 'display_name', g.display_name,
        'is_default', m.is_default, 'is_group_admin', m.is_group_admin) ORDER BY g.name), '[]')
      FROM membership m JOIN user_group g ON g.id = m.group_id WHERE m.user_id = u.id AND g.active) AS groups,
   (SELECT coalesce(json_object_agg(name, value), '{}') FROM setting
      WHERE name IN ('auto_logout_timeout', 'password_expiry_days')) AS settings
 FROM app_user u WHERE u.id = $1`;

export async function readProfile(db: Knex, userId: string, now: Date): Promise<Profile> {
  const [user] = await runPrepared<ProfileRow>(db, 'profile', PROFILE, [userId]);
  if (!user) throw new NotFound();
  const { groups, settings } = user;
  return {
    user_id: user.id,
    username: user.username,
    first_name: user.first_name,
    last_name: user.last_name,
    email: user.email,
    is_staff: user.is_staff,
    is_superuser: user.is_superuser,
    is_group_admin: groups.some((group) => group.is_group_admin),
    is_ldap: user.is_ldap,
    organization: user.organization,
    lang: user.lang,
    auto_logout_timeout: user.auto_logout_timeout,
    default_auto_logout_timeout: settingOf('auto_logout_timeout', settings.auto_logout_timeout),
    autogrouping_rule: user.autogrouping_rule,
    must_change_password: user.must_change_password,
    has_password: user.has_password,
    password_expires_in_days: user.has_password
      ? daysToExpiry(user.password_changed, settingOf('password_expiry_days', settings.password_expiry_days), now)
      : null,
    groups,
  };
}

/** Returns the whole days until the password expires, 0 afterwards, or null before the notice period. */
export function daysToExpiry(changed: Date, lifetimeDays: number, now: Date): number | null {
  if (lifetimeDays === 0) return null;
  const days = Math.ceil((changed.getTime() + lifetimeDays * 86_400_000 - now.getTime()) / 86_400_000);
  return days <= EXPIRY_NOTICE_DAYS ? Math.max(0, days) : null;
}

/** Saves the given fields. Throws Invalid and saves none if one is invalid. */
export async function saveProfile(
  db: Knex,
  userId: string,
  change: Call<'updateProfile'>['body'],
  actor: Actor,
  now: Date,
): Promise<void> {
  const { auto_logout_timeout: timeout, email, first_name: first, last_name: last } = change;
  if (timeout !== undefined && timeout !== null && !isTimeout(timeout)) throw new Invalid('auto_logout_invalid');
  if (email !== undefined && email !== '' && emailProblem(email)) throw new Invalid('email_invalid');
  for (const name of [first, last])
    if (name !== undefined && personNameProblem(name)) throw new Invalid('user_name_characters');
  await withTransaction(db, async (trx) => {
    const before = (await trx('app_user').where({ id: userId }).forUpdate().first())!;
    const changes = changesBetween(before, change);
    if (changes.length > 0) await trx('app_user').where({ id: userId }).update(change);
    const entry = { actor, resourceType: 'user', resourceId: userId, resource: before.username } as const;
    await writeAudit(trx, { ...entry, action: 'update', changes }, now);
  });
}

/** In minutes. The limit of a year exceeds the life of any session. */
const isTimeout = (minutes: number): boolean => Number.isInteger(minutes) && minutes > 0 && minutes <= 525_600;
