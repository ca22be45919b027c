import { pino } from 'pino';
import { createTestDatabase } from '../../test-support/postgres.ts';
import { openDatabase } from './database.ts';
import { runPrepared } from './prepared.ts';

test('a prepared statement is prepared once, and still answers after a migration has changed a type', async () => {
  const database = await createTestDatabase();
  const db = openDatabase(database.ownerUrl, pino({ level: 'silent' }), { max: 1 });
  try {
    await db.raw('CREATE TABLE counted (id int, n int)');
    await db.raw('INSERT INTO counted VALUES (1, 10), (2, 20)');
    const read = (id: number) => runPrepared(db, 'counted', 'SELECT n FROM counted WHERE id = $1', [id]);
    expect(await read(1)).toEqual([{ n: 10 }]);
    expect(await read(2)).toEqual([{ n: 20 }]);
    const { rows } = await db.raw('SELECT name FROM pg_prepared_statements');
    expect(rows).toEqual([{ name: 'counted' }]);
    await db.raw('ALTER TABLE counted ALTER n TYPE text');
    expect(await read(2)).toEqual([{ n: '20' }]);
  } finally {
    await db.destroy();
    await database.close();
  }
});
