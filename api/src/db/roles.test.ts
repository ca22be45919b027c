import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';
import { openDatabase } from './database.ts';
import { grantServing } from './roles.ts';

const silent = pino({ level: 'silent' });
let database: TestDatabase;
let owner: Knex;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = openDatabase(database.ownerUrl, silent);
});
afterAll(async () => {
  await owner?.destroy();
  await database?.close();
});

const DENIED = { code: '42501' };

test('the role that serves requests reads and writes rows', async () => {
  const id = randomUUID();
  await database.db('user_group').insert({ id, name: 'g', display_name: 'G', created: new Date() });
  expect(await database.db('user_group').where({ id }).update({ display_name: 'H' })).toBe(1);
  expect(await database.db('user_group').where({ id }).delete()).toBe(1);
});

test('it can append to the audit log, but not change, remove or disguise an entry', async () => {
  const { db } = database;
  const entry = { id: randomUUID(), created: new Date(), username: 'ana', resource_type: 'task', resource_id: '1' };
  await db('audit_log').insert({ ...entry, resource: 'run', action: 'create', changes: '[]' });
  for (const statement of [
    "UPDATE audit_log SET username = 'x'",
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'ALTER TABLE audit_log DISABLE TRIGGER ALL',
    'DROP TABLE audit_log',
    'DROP FUNCTION audit_log_is_append_only CASCADE',
    "SET session_replication_role = 'replica'",
  ])
    await expect(db.raw(statement)).rejects.toMatchObject(DENIED);
  expect(await db('audit_log').where({ id: entry.id })).toHaveLength(1);
});

test('even the owner cannot change or remove an entry of the audit log by mistake', async () => {
  for (const statement of ["UPDATE audit_log SET username = 'x'", 'DELETE FROM audit_log', 'TRUNCATE audit_log'])
    await expect(owner.raw(statement)).rejects.toThrow('audit_log is append-only');
});

test('it cannot change the schema, become the owner, or run programs on the server', async () => {
  const { db } = database;
  const { rows } = await owner.raw('SELECT current_user AS name');
  for (const statement of [
    'CREATE TABLE mine (id int)',
    'ALTER TABLE app_user ADD COLUMN mine int',
    'DELETE FROM knex_migrations',
    `SET ROLE "${rows[0].name}"`,
    "COPY app_user TO PROGRAM 'cat'",
    "SELECT pg_read_file('/etc/passwd')",
    'CREATE ROLE mine SUPERUSER',
  ])
    await expect(db.raw(statement)).rejects.toMatchObject(DENIED);
});

test('a role is created with its password, and a new password replaces it', async () => {
  const name = `it's "odd" ${randomUUID()}`;
  const hash = async () => (await owner('pg_authid').where({ rolname: name }).first('rolpassword')).rolpassword;
  await grantServing(owner, { name, password: "first's ?1" });
  const first = await hash();
  expect(first).toMatch(/^SCRAM-SHA-256/);
  await grantServing(owner, { name, password: 'second' });
  expect(await hash()).not.toBe(first);
  await owner.raw('DROP OWNED BY ??; DROP ROLE ??', [name, name]);
});

test('an owner that may not create roles reports the SQL to run', async () => {
  const name = `plain_${randomUUID().replaceAll('-', '')}`;
  await owner.raw('CREATE ROLE ?? LOGIN', [name]);
  const plain = openDatabase(database.ownerUrl.replace('//postgres@', `//${name}@`), silent);
  await expect(grantServing(plain, { name: 'serving_elsewhere', password: 'x' })).rejects.toThrow(
    'CREATE ROLE "serving_elsewhere" LOGIN',
  );
  await plain.destroy();
  await owner.raw('DROP ROLE ??', [name]);
});
