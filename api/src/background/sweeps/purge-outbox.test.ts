import { createTestDatabase, type TestDatabase } from '../../../test-support/postgres.ts';
import type { OutboxTable } from '../../db/tables/background.ts';
import { CARRIED_OUT_DAYS, purgeOutbox } from './purge-outbox.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('old carried out intents are removed from the outbox, and waiting, rejected and recent ones are kept', async () => {
  const now = new Date();
  const days = (n: number): Date => new Date(now.getTime() - n * 24 * 3_600_000);
  const old = days(CARRIED_OUT_DAYS + 1);
  const row = (object: string, state: OutboxTable['state'], finished: Date | null) => ({
    object,
    state,
    finished,
    intent: '{}',
    created: old,
    next_try: old,
  });
  await database
    .db('outbox')
    .insert([
      row('old done', 'done', old),
      row('old cancelled', 'cancelled', old),
      row('refused', 'failed', old),
      row('waiting', 'pending', null),
      row('recent', 'done', days(1)),
    ]);
  expect(await purgeOutbox(database.db, now)).toBe(2);
  expect((await database.db('outbox').orderBy('id')).map(({ object }) => object)).toEqual([
    'refused',
    'waiting',
    'recent',
  ]);
});
