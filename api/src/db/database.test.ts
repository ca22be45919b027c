import { pino } from 'pino';
import { createTestDatabase } from '../../test-support/postgres.ts';
import { openDatabase, waitForDatabase } from './database.ts';

const silent = pino({ level: 'silent' });

test('a database that does not answer is awaited, then reported as refused', async () => {
  const nobody = openDatabase('postgres://seqpanel@127.0.0.1:1/seqpanel', silent);
  const started = Date.now();
  await expect(waitForDatabase(nobody, silent, 1)).rejects.toThrow(/ECONNREFUSED/);
  expect(Date.now() - started).toBeGreaterThan(1000);
  await nobody.destroy();
});

test('the error of a statement carries none of its values', async () => {
  const { db, close } = await createTestDatabase();
  const failed = db('app_user').insert({ id: 'no uuid', username: 'Patient-4711' });
  const message = await failed.catch((error: Error) => error.message);
  expect(message).toContain('insert into "app_user"');
  expect(message).not.toContain('Patient-4711');
  await close();
});

test('a statement that runs or waits for a lock too long is cancelled', async () => {
  const { db, url, close } = await createTestDatabase();
  const timeouts = { statement: '200ms', lock: '100ms', idleInTransaction: '1s' };
  const hasty = openDatabase(url, silent, { timeouts });
  await expect(hasty.raw('SELECT pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
  const holder = await db.transaction();
  await holder.raw('SELECT pg_advisory_xact_lock(1)');
  await expect(hasty.raw('SELECT pg_advisory_lock(1)')).rejects.toMatchObject({ code: '55P03' });
  await holder.rollback();
  await hasty.destroy();
  await close();
});

test('a transaction that pauses too long loses its connection', async () => {
  const { url, close } = await createTestDatabase();
  const hasty = openDatabase(url, silent, { timeouts: { statement: '1s', lock: '1s', idleInTransaction: '100ms' } });
  const paused = await hasty.transaction();
  await paused.raw('SELECT 1');
  await new Promise((resolve) => setTimeout(resolve, 400));
  await expect(paused.raw('SELECT 1')).rejects.toThrow();
  await paused.rollback().catch(() => undefined);
  expect((await hasty.raw('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await hasty.destroy();
  await close();
});
