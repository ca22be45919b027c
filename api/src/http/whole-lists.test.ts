import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';

/** More than the 200 rows of a member's page. */
const ROWS = 250;

let api: TestApi;
let staff: TestUser;
let lab: Laboratory;
let task: string;
beforeAll(async () => {
  api = await startApi();
  staff = await api.addUser({ staff: true });
  lab = await aLaboratory(api);
  task = await lab.launch(['S1']);
});
afterAll(() => api?.close());

type Rows = (id: string, i: number) => Promise<object> | object;

const now = new Date();
const times = { created: now, modified: now };
const listed =
  (kind: string): Rows =>
  (id, i) => ({ id, kind, value: `v${i}`, display_name: `V ${i}`, position: 100 + i });

/** Per list: its table, and one more row of it. */
const LISTS: [title: string, path: string, table: string, row: Rows][] = [
  ['[API-53] users', 'admin/users', 'app_user', (id) => ({ id, username: id, password_changed: now, created: now })],
  ['groups', 'admin/groups', 'user_group', (id) => ({ id, name: id, display_name: id, created: now })],
  ['[API-26] projects', 'admin/projects', 'project', (id) => aProject(id)],
  ["[API-29] a group's projects", 'GROUP/projects', 'project', (id) => aProject(id)],
  ['[API-19] panel types', 'admin/panel_types', 'panel_type', async (id) => aPanelType(id)],
  ['genomes', 'admin/genomes', 'genome', (id) => ({ id, value: id, display_name: id, source: '{}', ...times })],
  ['pipelines', 'admin/pipelines', 'pipeline', (id) => aPipeline(id)],
  ['task results', 'admin/task_results', 'task_result', (id, i) => aTaskResult(id, i)],
  [
    '[API-67] workers',
    'admin/workers',
    'worker',
    async (id) => ({ id, pool_id: await pool(), node: id, created: now }),
  ],
  ['[API-23] data sources', 'admin/data_sources', 'listed_type', listed('data_source')],
  ['[API-24] data types', 'admin/data_types', 'listed_type', listed('data_type')],
  ['[API-25] analysis types', 'admin/analysis_types', 'listed_type', listed('analysis_type')],
];

const aProject = (id: string) => ({ id, group_id: lab.group, name: id, owner_id: lab.user.id, created: now });
const aPipeline = (id: string) => ({
  id,
  name: id,
  display_name: id,
  version: '1',
  status: 'disabled',
  spec: '{}',
  created: now,
});
const aTaskResult = (id: string, i: number) => ({
  id,
  task_id: task,
  step: 'call',
  attempt: i,
  state: 'Succeeded',
  started: now,
});

async function aPanelType(id: string): Promise<object> {
  const { files, genome } = (await api.deps.db('panel_type').where({ id: lab.panel }).first())!;
  return { id, value: id, display_name: id, genome, files: JSON.stringify(files), ...times };
}

async function pool(): Promise<string> {
  const { db } = api.deps;
  const found = await db('worker_pool').first('id');
  if (found) return found.id;
  const id = randomUUID();
  await db('worker_pool').insert({ id, name: 'cpu', resource_version: 1, queue: 'q', min: 0, max: 2, ...times });
  return id;
}

test.each(LISTS)('[API-08] page_size=99999 returns all rows: %s', async (_title, path, table, row) => {
  const rows: { id: string }[] = [];
  for (let i = 0; i < ROWS; i++) {
    const id = randomUUID();
    rows.push({ ...(await row(id, i)), id });
  }
  await api.deps.db.batchInsert(table, rows, 100);
  const token = path.startsWith('GROUP') ? lab.user.token : staff.token;
  const list = `/api/v1/pivat/${path.replace('GROUP', lab.group)}`;
  const { status, body } = await api.call('GET', `${list}/?page_size=99999`, { token });
  expect(status).toBe(200);
  expect(body.results).toHaveLength(body.count);
  const added = new Set(rows.map(({ id }) => id));
  const found = body.results.map(({ id }: { id: string }) => id).filter((id: string) => added.has(id));
  expect(found.sort()).toEqual([...added].sort());
  const second = await api.call('GET', `${list}?page_size=100&page=2`, { token });
  expect(second.body.results.map(({ id }: { id: string }) => id)).toEqual(
    body.results.slice(100, 200).map(({ id }: { id: string }) => id),
  );
});

test('[API-08] [API-42] page_size=9999 returns all parameters files of a group', async () => {
  for (let i = 0; i < ROWS; i++) await lab.addPreset(`preset-${i}`);
  const { body } = await api.call('GET', `/api/v1/pivat/${lab.group}/custom-preset/info/?page=1&page_size=9999`, {
    token: lab.user.token,
  });
  expect([body.count, new Set(body.results.map(({ name }: { name: string }) => name)).size]).toEqual([ROWS, ROWS]);
});
