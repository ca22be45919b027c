/**
 * Creates the first administrator at the first start, with a generated one-time password in a file of mode 0600, or
 * with the password of a given file such as a mounted Secret. Either password allows only its change, and the file is
 * ignored once a user exists.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { generatePassword } from '@seqpanel/crds/password-rules.ts';
import type { Knex } from 'knex';
import { changesOfNew, SYSTEM, writeAudit } from '../audit/write-audit.ts';
import { withTransaction } from '../db/transaction.ts';
import { type PasswordFiles, readPasswordFile, writePrivately } from './password-file.ts';
import type { PasswordHasher } from './passwords.ts';

export const FIRST_ADMIN = 'admin';

/** Does nothing if a user exists. Returns whether it created one. Errors name the setting. */
export async function ensureFirstAdmin(
  db: Knex,
  hasher: PasswordHasher,
  { leftIn, givenIn }: PasswordFiles,
  now: Date,
): Promise<boolean> {
  if (await db('app_user').first('id')) return false;
  if (!leftIn && !givenIn) {
    throw new Error('SEQPANEL_FIRST_ADMIN_FILE: required at the first start, to write the password to');
  }
  const password = givenIn
    ? await readPasswordFile('SEQPANEL_FIRST_ADMIN_PASSWORD_FILE', givenIn)
    : generatePassword((n) => randomInt(n));
  const hash = await hasher.hash(password);
  return await withTransaction(db, async (trx) => {
    await trx.raw('LOCK TABLE app_user IN SHARE ROW EXCLUSIVE MODE'); // two processes may start at once
    if (await trx('app_user').first('id')) return false;
    const id = randomUUID();
    const user = { username: FIRST_ADMIN, is_staff: true, is_superuser: true, must_change_password: true };
    await trx('app_user').insert({ id, ...user, password_hash: hash, password_changed: now, created: now });
    const entry = { actor: SYSTEM, resourceType: 'user', resourceId: id, resource: FIRST_ADMIN } as const;
    await writeAudit(trx, { ...entry, action: 'create', changes: changesOfNew(user) }, now);
    // Writes the file before the commit, because nobody would know the password without it.
    if (!givenIn && leftIn) await writePrivately(leftIn, `username: ${FIRST_ADMIN}\npassword: ${password}\n`);
    return true;
  });
}

/** Deletes the file after the first change of that password. */
export async function removeFirstAdminFile(file: string | undefined): Promise<void> {
  if (file) await rm(file, { force: true });
}
