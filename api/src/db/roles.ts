/**
 * Two database roles: the owner creates and changes the schema, and a plain role serves requests. The plain role reads
 * and writes rows, cannot change tables, and can only append to the audit log. An injected statement can therefore
 * neither hide its traces nor run programs as a superuser could.
 */
import type { Knex } from 'knex';

export interface ServingRole {
  name: string;
  /** Set when the role is created and again on every call, so that a new password in the Secret takes effect. */
  password: string | undefined;
}

/** Tables that the plain role may only append to. */
const APPEND_ONLY = ['audit_log'];
/** Tables that only the owner writes. */
const OWNED = ['knex_migrations', 'knex_migrations_lock'];

const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Creates the role if it does not exist and grants it what the api needs. Otherwise throws an Error with the SQL to run
 * by hand.
 */
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

/** Lets Postgres quote role names and passwords, because they cannot be bound as parameters. */
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
    // The administrator of an external database created the role and manages its password.
    if (exists) return;
    throw new Error(
      `the database role ${name} does not exist and this owner may not create it; run: CREATE ROLE "${name}" LOGIN PASSWORD '...'`,
    );
  }
}
