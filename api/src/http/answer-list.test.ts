import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { aTaskRow } from '../../test-support/task-row.ts';
import { PIECE } from './answer-list.ts';

const BASE = '/api/v1/pivat';
const ROWS = 2 * PIECE + 300;
let api: TestApi;
let staff: TestUser;

beforeAll(async () => {
  api = await startApi();
  staff = await api.addUser({ staff: true });
  const rows = Array.from({ length: ROWS }, (_, i) =>
    aTaskRow(randomUUID(), { name: `task-${i}`, status: 'completed', created: new Date(i * 1000), user_id: staff.id }),
  );
  await api.deps.db.batchInsert('task', rows, 500);
});
afterAll(() => api?.close());

const get = (path: string) => api.call('GET', `${BASE}/${path}`, { token: staff.token });
const names = (results: { name: string }[]) => results.map(({ name }) => name);
const expected = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `task-${ROWS - 1 - from - i}`);

test('[API-08] page_size=99999 returns all rows of a list that is read in pieces, each once and in order', async () => {
  const { status, body, headers } = await get('admin/tasks?page_size=99999');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body.count).toBe(ROWS);
  expect(names(body.results)).toEqual(expected(0, ROWS));
  expect(Object.keys(body.results[0]).sort()).toEqual(
    Object.keys((await get('admin/tasks?page_size=1')).body.results[0]).sort(),
  );
});

test('a later page of several pieces begins after the rows of the earlier pages', async () => {
  const size = PIECE + 100;
  const { body } = await get(`admin/tasks?page=2&page_size=${size}`);
  expect(names(body.results)).toEqual(expected(size, 2 * size));
  expect(names((await get(`admin/tasks?page=3&page_size=${size}`)).body.results)).toEqual(expected(2 * size, ROWS));
});

test.each([
  'users',
  'groups',
  'projects',
  'panel_types',
  'genomes',
  'pipelines',
  'task_results',
  'workers',
  'data_sources',
])('%s takes page_size=99999 and nothing above it', async (list) => {
  expect((await get(`admin/${list}?page_size=99999`)).status).toBe(200);
  expect((await get(`admin/${list}?page_size=100000`)).status).toBe(400);
  expect((await get(`admin/${list}?page=100001`)).status).toBe(400);
});
