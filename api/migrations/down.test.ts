import { pino } from 'pino';
import { openDatabase } from '../src/db/database.ts';
import { createTestDatabase } from '../test-support/postgres.ts';
import { MIGRATIONS } from './index.ts';

test('the migrations of tasks and results go back and forth without a trace', async () => {
  const { ownerUrl, close } = await createTestDatabase();
  const db = openDatabase(ownerUrl, pino({ level: 'silent' }));
  const shape = async (): Promise<unknown> =>
    (
      await db.raw(
        "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2",
      )
    ).rows;
  const own = Object.keys(MIGRATIONS)
    .filter((name) => name >= '0010')
    .sort();
  const before = await shape();
  for (const name of [...own].reverse()) await MIGRATIONS[name]!.down(db);
  for (const name of own) await MIGRATIONS[name]!.up(db);
  expect(await shape()).toEqual(before);
  await db.destroy();
  await close();
});
