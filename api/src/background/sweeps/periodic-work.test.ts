import { createTestDatabase, type TestDatabase } from '../../../test-support/postgres.ts';
import { doWhenDue } from './periodic-work.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const times = { everySeconds: 3600, leaseSeconds: 600 };

test('one of several replicas does the work, and again after the interval', async () => {
  let done = 0;
  const sweep = () =>
    doWhenDue(database.db, {
      ...{ name: 'sweep', ...times },
      work: async () => {
        done++;
      },
    });
  expect((await Promise.all([1, 2, 3].map(sweep))).filter(Boolean)).toHaveLength(1);
  await sweep();
  expect(done).toBe(1);
  await database.db('periodic_work').update({ done: new Date(Date.now() - 3_700_000) });
  await sweep();
  expect(done).toBe(2);
});

test('work that failed, or whose process died, is due again', async () => {
  const failing = doWhenDue(database.db, {
    ...{ name: 'failing', ...times },
    work: () => Promise.reject(new Error('no')),
  });
  await expect(failing).rejects.toThrow('no');
  const again = { name: 'failing', ...times, work: async () => {} };
  await database
    .db('periodic_work')
    .where({ name: 'failing' })
    .update({ leased_until: new Date(Date.now() + 60_000) });
  expect(await doWhenDue(database.db, again)).toBe(false);
  await database
    .db('periodic_work')
    .where({ name: 'failing' })
    .update({ leased_until: new Date(Date.now() - 1) });
  expect(await doWhenDue(database.db, again)).toBe(true);
});
