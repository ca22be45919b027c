import { pino } from 'pino';
import { createTestDatabase } from '../../test-support/postgres.ts';
import { openDatabase } from './database.ts';
import { isMigrationDue, MIGRATION_TIMEOUTS, migrate } from './migrate.ts';
import { prepareSchema } from './prepare-schema.ts';

const silent = pino({ level: 'silent' });
const openOwner = (url: string) => openDatabase(url, silent, { max: 3, timeouts: MIGRATION_TIMEOUTS });

test('an older release starts after a rollback on a schema with later migrations', async () => {
  const { db, url, ownerUrl, close } = await createTestDatabase();
  const owner = openOwner(ownerUrl);
  await owner('knex_migrations').insert({ name: '9999-of-a-later-release', batch: 99, migration_time: new Date() });
  await migrate(owner);
  await prepareSchema({ databaseUrl: url, databaseOwnerUrl: undefined, databasePool: 2 }, silent);
  expect(await db('knex_migrations').where({ name: '9999-of-a-later-release' })).toHaveLength(1);
  await owner.destroy();
  await close();
});

test('two processes that start at once migrate once', async () => {
  const { ownerUrl, close } = await createTestDatabase();
  const [one, other] = [openOwner(ownerUrl), openOwner(ownerUrl)];
  const [{ name }] = await one('knex_migrations').orderBy('id', 'desc').limit(1);
  await one.raw('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  expect(await isMigrationDue(one)).toBe(true);
  await Promise.all([migrate(one), migrate(other)]);
  expect(await one('knex_migrations').where({ name })).toHaveLength(1);
  expect(await isMigrationDue(one)).toBe(false);
  await Promise.all([one.destroy(), other.destroy()]);
  await close();
});

test('a role that may not migrate reports the missing setting', async () => {
  const { url, ownerUrl, close } = await createTestDatabase();
  const owner = openOwner(ownerUrl);
  const last = await owner('knex_migrations').orderBy('id', 'desc').first('id');
  await owner('knex_migrations').where(last).delete();
  const settings = { databaseUrl: url, databaseOwnerUrl: undefined, databasePool: 2 };
  await expect(prepareSchema(settings, silent)).rejects.toThrow('SEQPANEL_DATABASE_OWNER_URL');
  await owner.destroy();
  await close();
});
