import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';
import { aTaskRow } from '../../test-support/task-row.ts';
import { createIngest } from './ingest-loop.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const storage = mkdtempSync(join(tmpdir(), 'seqpanel-ingest-'));
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(storage, { recursive: true, force: true });
});

/** A task whose step `cohort` has finished; answers the file that is kept of it once it has ended. */
async function task(status: string, phase: string, key: string): Promise<{ id: string; kept: string }> {
  const id = randomUUID();
  await database.db('task').insert(
    aTaskRow(id, {
      spec: JSON.stringify({ group: 'lab' }),
      created: NOW,
      status,
      phase,
      finished: ['aborted', 'failed'].includes(status) ? NOW : null,
    }),
  );
  const fingerprint = key.repeat(64);
  const folder = join(storage, 'tasks', id, 'cohort');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pairs.tsv'), 'x');
  const outputs = [{ path: 'pairs.tsv', sha256: key, size: 1, type: 'table' }];
  writeFileSync(join(folder, 'result.json'), JSON.stringify({ fingerprint, reused: false, outputs }));
  return { id, kept: join(storage, 'kept/lab', fingerprint, 'pairs.tsv') };
}

test('finished steps of a task that has ended, in whichever way, are kept for its group; of one under way none is', async () => {
  const running = await task('running', 'Running', 'a');
  const ended = [
    await task('running', 'Completed', 'b'),
    await task('failed', 'Failed', 'c'),
    await task('aborted', 'Aborted', 'd'),
  ];
  const stop = new AbortController();
  const deps = { db: database.db, storageDir: storage, now: () => NOW, log: pino({ level: 'error' }) };
  const ingest = createIngest({ ...deps, onFailure: () => {} }).run(stop.signal);
  const completed = () => database.db('task').where({ id: ended[0]!.id, status: 'completed' }).first('id');
  try {
    const isOver = async () => ended.every(({ kept }) => existsSync(kept)) && (await completed());
    for (const until = Date.now() + 30_000; Date.now() < until && !(await isOver()); ) await wait(20);
    expect(await completed()).toEqual({ id: ended[0]!.id });
    expect(ended.map(({ kept }) => statSync(kept).nlink)).toEqual([2, 2, 2]);
    expect(existsSync(running.kept)).toBe(false);
  } finally {
    stop.abort();
    await ingest;
  }
}, 60_000);
