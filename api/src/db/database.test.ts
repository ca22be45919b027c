import { pino } from 'pino';
import { createTestDatabase } from '../../test-support/postgres.ts';
import { migrate, openDatabase, waitForDatabase } from './database.ts';

test('a release that was rolled back starts on a schema with later migrations', async () => {
  const { db, close } = await createTestDatabase();
  await db('knex_migrations').insert({ name: '9999-of-a-later-release', batch: 99, migration_time: new Date() });
  await migrate(db);
  expect(await db('knex_migrations').where({ name: '9999-of-a-later-release' })).toHaveLength(1);
  await close();
});

test('two processes that start at once migrate once', async () => {
  const { db, url, close } = await createTestDatabase();
  const [{ name }] = await db('knex_migrations').orderBy('id', 'desc').limit(1);
  const other = openDatabase(url, pino({ level: 'silent' }));
  await db('knex_migrations').delete();
  await db.raw('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await Promise.all([migrate(db), migrate(other)]);
  expect(await db('knex_migrations').where({ name })).toHaveLength(1);
  await other.destroy();
  await close();
});

test('a database that does not answer is waited for, then named as refused', async () => {
  const nobody = openDatabase('postgres://seqpanel@127.0.0.1:1/seqpanel', pino({ level: 'silent' }));
  const started = Date.now();
  await expect(waitForDatabase(nobody, pino({ level: 'silent' }), 1)).rejects.toThrow(/ECONNREFUSED/);
  expect(Date.now() - started).toBeGreaterThan(1000);
  await nobody.destroy();
});
