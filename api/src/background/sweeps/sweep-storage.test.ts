import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../../test-support/postgres.ts';
import { aTaskRow } from '../../../test-support/task-row.ts';
import type { TaskStatus } from '../../db/tables/tasks.ts';
import { expiredEntries } from '../../storage/expired-entries.ts';
import { sweepCaches, sweepWork } from './sweep-storage.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const DAY_MS = 24 * 3_600_000;
const storage = mkdtempSync(join(tmpdir(), 'seqpanel-sweep-'));
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.close();
  rmSync(storage, { recursive: true, force: true });
});

test('unused entries expire, then the least recently used until the rest fits, and links are free', () => {
  const entry = (path: string, days: number, bytes: number) => ({ path, usedMs: NOW.getTime() - days * DAY_MS, bytes });
  const entries = [entry('new', 0, 60), entry('old', 31, 1), entry('mid', 5, 60), entry('link', 9, 0)];
  const gone = expiredEntries(entries, { maxAgeMs: 30 * DAY_MS, maxBytes: 100 }, NOW.getTime());
  expect(gone.map(({ path }) => path)).toEqual(['mid', 'old']);
});

test('the results kept for a group stay within age and size, and a task keeps its own links', async () => {
  const make = (name: string, days: number, linked: boolean, root = 'kept/g1'): string => {
    const folder = join(storage, root, name, 'tables');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'out.tsv'), 'x'.repeat(100));
    if (linked) linkSync(join(folder, 'out.tsv'), join(storage, `task-${name}.tsv`));
    const used = new Date(NOW.getTime() - days * DAY_MS);
    utimesSync(join(storage, root, name), used, used);
    return join(storage, root, name);
  };
  const [fresh, alone, linked, old] = [
    make('a', 0, false, 'cache/g1'),
    make('b', 2, false),
    make('c', 3, true),
    make('d', 40, true),
  ];
  mkdirSync(join(storage, 'cache/g2'));
  await sweepCaches(storage, NOW, { maxAgeMs: 30 * DAY_MS, maxBytes: 150 });
  expect([fresh, alone, linked, old].map((path) => existsSync(path))).toEqual([true, false, true, false]);
  expect(existsSync(join(storage, 'task-d.tsv'))).toBe(true);
  // Pods of tasks launched by an earlier release mount it.
  expect(existsSync(join(storage, 'kept/g2'))).toBe(true);
});

test('leftovers of a killed pod are removed after its task has ended, and not before', async () => {
  const task = async (status: TaskStatus, minutesAgo: number | null): Promise<string> => {
    const id = randomUUID();
    await database.db('task').insert(
      aTaskRow(id, {
        created: NOW,
        status,
        finished: minutesAgo === null ? null : new Date(NOW.getTime() - minutesAgo * 60_000),
      }),
    );
    const work = join(storage, 'tasks', id, '.work');
    mkdirSync(join(work, 'pod-1'), { recursive: true });
    return work;
  };
  const running = await task('running', null);
  const justEnded = await task('aborted', 1);
  const ended = await task('completed', 30);
  await sweepWork(database.db, storage, NOW);
  expect([running, justEnded, ended].map((path) => existsSync(path))).toEqual([true, true, false]);
});
