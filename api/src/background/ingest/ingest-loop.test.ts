import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../../test-support/postgres.ts';
import { aTaskRow } from '../../../test-support/task-row.ts';
import type { TaskStatus } from '../../db/tables/tasks.ts';
import { createIngest, ingestOne } from './ingest-loop.ts';
import { takeTurn, wantIngest } from './turns.ts';

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

/** Creates a task with a finished `cohort` step. Returns the file that is kept of it after its end. */
async function task(status: TaskStatus, phase: string, key: string): Promise<{ id: string; kept: string }> {
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
  await database.db.transaction((trx) => wantIngest(trx, id, NOW));
  const fingerprint = key.repeat(64);
  const folder = join(storage, 'tasks', id, 'cohort');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pairs.tsv'), 'x');
  const outputs = [{ path: 'pairs.tsv', sha256: key, size: 1, type: 'table' }];
  writeFileSync(join(folder, 'result.json'), JSON.stringify({ fingerprint, reused: false, outputs }));
  return { id, kept: join(storage, 'kept/lab', fingerprint, 'pairs.tsv') };
}

test('finished steps of an ended task are kept for its group, those of a running task are not', async () => {
  const running = await task('running', 'Running', 'a');
  const ended = [
    await task('running', 'Completed', 'b'),
    await task('failed', 'Failed', 'c'),
    await task('aborted', 'Aborted', 'd'),
  ];
  const stop = new AbortController();
  const ingest = createIngest(options()).run(stop.signal);
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

const options = (now = NOW) => ({
  db: database.db,
  storageDir: storage,
  now: () => now,
  log: pino({ level: 'silent' }),
  onFailure: () => {},
});
const turnOf = async (id: string) => (await database.db('ingest_turn').where({ task_id: id }).first())!;
const later = (ms: number): Date => new Date(NOW.getTime() + ms);

test('a failed task keeps its partial results, even if they were unreadable for long, and is then done', async () => {
  const { id, kept } = await task('failed', 'Failed', 'e');
  await ingestOne(options(later(90 * 86_400_000)));
  expect(existsSync(kept)).toBe(true);
  expect(await database.db('task').where({ id }).first()).toMatchObject({
    partial_ingested: expect.any(Date),
    output_bytes: expect.any(Number),
  });
  expect(await turnOf(id)).toBeUndefined();
});

test('a task with a bad file waits longer each time, also after a status change, but not after its end', async () => {
  const { id } = await task('running', 'Running', 'f');
  writeFileSync(join(storage, 'tasks', id, 'broken'), '');
  mkdirSync(join(storage, 'tasks', id, 'qc'), { recursive: true });
  writeFileSync(join(storage, 'tasks', id, 'qc', 'result.json'), 'not JSON');
  const waits: number[] = [];
  let now = NOW;
  for (let attempt = 0; attempt < 8; attempt++) {
    await ingestOne(options(now));
    const { next_try: next } = await turnOf(id);
    waits.push(next.getTime() - now.getTime());
    now = next;
  }
  // 5 s, 10 s, 20 s and so on with jitter, up to 15 minutes.
  expect(waits[0]).toBeLessThanOrEqual(5_000);
  expect(waits[7]).toBeGreaterThan(60_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(15 * 60_000);
  const { next_try: before } = await turnOf(id);
  await database.db.transaction((trx) => wantIngest(trx, id, NOW));
  expect((await turnOf(id)).next_try).toEqual(before);
  await database.db.transaction((trx) => wantIngest(trx, id, NOW, true));
  expect((await turnOf(id)).next_try).toEqual(NOW);
  await database.db('ingest_turn').delete();
});

test('a running task waits for a status change, and a change during its turn causes another turn', async () => {
  const { id } = await task('running', 'Running', '1');
  await ingestOne(options());
  expect(await ingestOne(options())).toBe(false);
  await database.db.transaction((trx) => wantIngest(trx, id, NOW));
  expect(await ingestOne(options())).toBe(true);
  await database.db('ingest_turn').delete();
});

test('two replicas take different tasks, and the turn of a dead process is taken over', async () => {
  const ids = [await task('running', 'Running', '2'), await task('running', 'Running', '3')].map(({ id }) => id);
  const [first, second] = [await takeTurn(database.db, NOW), await takeTurn(database.db, NOW)];
  expect([first?.task, second?.task].sort()).toEqual([...ids].sort());
  expect(await takeTurn(database.db, NOW)).toBeUndefined();
  await database
    .db('ingest_turn')
    .where({ task_id: first!.task })
    .update({ leased_until: new Date(Date.now() - 1) });
  expect((await takeTurn(database.db, NOW))?.task).toBe(first!.task);
});
