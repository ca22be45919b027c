/**
 * Two roles: the owner makes and changes the schema; a plain role serves requests. The plain role reads and writes rows,
 * cannot change tables, and can only add to the audit log, so an injected statement can neither hide its traces nor run
 * programs as a superuser could.
 */
import type { Knex } from 'knex';

export interface ServingRole {
  name: string;
  /** Set when the role is made, and again on every call, so that a new password in the Secret counts. */
  password: string | undefined;
}

/** Tables to which rows are only added. */
const APPEND_ONLY = ['audit_log'];
/** Tables that only the owner writes. */
const OWNED = ['knex_migrations', 'knex_migrations_lock'];

const INSUFFICIENT_PRIVILEGE = '42501';

/** Makes the role if it does not exist and grants it what the api needs. Throws an Error that says what to run by hand. */
export async function grantServing(owner: Knex, { name, password }: ServingRole): Promise<void> {
  const { rows: found } = await owner.raw('SELECT 1 FROM pg_roles WHERE rolname = ?', [name]);
  const { rows: current } = await owner.raw<{ rows: [{ name: string; database: string }] }>(
    'SELECT current_user AS name, current_database() AS database',
  );
  const { name: user, database } = current[0];
  if (user === name) return;
  await makeRole(owner, { name, password }, found.length > 0);
  await owner.raw('GRANT CONNECT, TEMPORARY ON DATABASE ?? TO ??', [database, name]);
  await owner.raw('GRANT USAGE ON SCHEMA public TO ??', [name]);
  await owner.raw('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ??', [name]);
  await owner.raw('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO ??', [name]);
  await owner.raw('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO ??', [name]);
  for (const table of APPEND_ONLY) await owner.raw('REVOKE UPDATE, DELETE, TRUNCATE ON ?? FROM ??', [table, name]);
  for (const table of OWNED) await owner.raw('REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ?? FROM ??', [table, name]);
}

/** Role names and passwords cannot be bound as parameters, so Postgres itself quotes them. */
async function makeRole(owner: Knex, { name, password }: ServingRole, exists: boolean): Promise<void> {
  if (exists && password === undefined) return;
  const verb = exists ? 'ALTER' : 'CREATE';
  const { rows } = await owner.raw<{ rows: [{ statement: string }] }>(
    password === undefined
      ? `SELECT format('${verb} ROLE %I LOGIN', ?::text) AS statement`
      : `SELECT format('${verb} ROLE %I LOGIN PASSWORD %L', ?::text, ?::text) AS statement`,
    password === undefined ? [name] : [name, password],
  );
  try {
    await owner.raw(rows[0].statement.replaceAll('?', '\\?'));
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    // The administrator of an external database made the role and keeps its password.
    if (exists) return;
    throw new Error(
      `the database role ${name} does not exist and this owner may not make it; run: CREATE ROLE "${name}" LOGIN PASSWORD '...'`,
    );
  }
}
