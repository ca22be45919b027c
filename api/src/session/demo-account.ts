/**
 * Account of the demo (npm start, helm test), so that neither needs a user's password. It is listed among the users,
 * may make only the calls of the demo (caller-limits.ts), expires a day after the last start, and is disabled by a
 * start without its settings (docs/adr/0062).
 */
import { randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { generatePassword } from '@seqpanel/crds/password-rules.ts';
import type { Knex } from 'knex';
import { changesBetween, SYSTEM, writeAudit } from '../audit/write-audit.ts';
import { withTransaction } from '../db/transaction.ts';
import { type PasswordFiles, readPasswordFile, writePrivately } from './password-file.ts';
import type { PasswordHasher } from './passwords.ts';
import { endSessionsOf } from './session-store.ts';

export const DEMO_ACCOUNT = 'demo-runner';
export const DEMO_ACCOUNT_HOURS = 24;

export type DemoAccountState = 'absent' | 'renewed' | 'disabled' | 'name_taken';

/**
 * Throws an Error that names the setting when the given password is unusable, and disables the account. A missing file
 * counts as not given.
 */
export async function ensureDemoAccount(
  db: Knex,
  hasher: PasswordHasher,
  { leftIn, givenIn }: PasswordFiles,
  now: Date,
): Promise<DemoAccountState> {
  const isGiven = givenIn !== undefined && existsSync(givenIn);
  if (!isGiven && !leftIn) return await disable(db, now);
  const password = isGiven
    ? await readPasswordFile('SEQPANEL_DEMO_ACCOUNT_PASSWORD_FILE', givenIn).catch(async (error) => {
        await disable(db, now);
        throw error;
      })
    : generatePassword((n) => randomInt(n));
  const hash = await hasher.hash(password);
  return await withTransaction(db, async (trx) => {
    await trx.raw('LOCK TABLE app_user IN SHARE ROW EXCLUSIVE MODE'); // two processes may start at once
    const before = await trx('app_user').whereRaw('lower(username) = ?', [DEMO_ACCOUNT]).first();
    if (before && !before.is_demo) return 'name_taken';
    const expires = new Date(now.getTime() + DEMO_ACCOUNT_HOURS * 3_600_000);
    const values = { is_active: true, is_staff: true, is_demo: true, expires };
    const id = before?.id ?? randomUUID();
    if (before)
      await trx('app_user')
        .where({ id })
        .update({ ...values, password_hash: hash, password_changed: now });
    else
      await trx('app_user').insert({
        ...{ id, username: DEMO_ACCOUNT, last_name: 'Demo', ...values },
        ...{ password_hash: hash, password_changed: now, created: now },
      });
    const entry = { actor: SYSTEM, resourceType: 'user', resourceId: id, resource: DEMO_ACCOUNT } as const;
    const changes = changesBetween(before ?? {}, values);
    await writeAudit(trx, { ...entry, action: before ? 'update' : 'create', changes }, now);
    if (!isGiven && leftIn) await writePrivately(leftIn, `username: ${DEMO_ACCOUNT}\npassword: ${password}\n`);
    return 'renewed';
  });
}

async function disable(db: Knex, now: Date): Promise<DemoAccountState> {
  return await withTransaction(db, async (trx) => {
    const account = await trx('app_user').where({ is_demo: true, is_active: true }).forUpdate().first('id', 'username');
    if (!account) return 'absent';
    await trx('app_user').where({ id: account.id }).update({ is_active: false });
    await endSessionsOf(trx, account.id, null, 'account_disabled', now);
    const entry = { actor: SYSTEM, resourceType: 'user', resourceId: account.id, resource: account.username } as const;
    const changes = [{ field: 'is_active', from: true, to: false }];
    await writeAudit(trx, { ...entry, action: 'update', changes }, now);
    return 'disabled';
  });
}
