import { randomUUID } from 'node:crypto';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';

let api: TestApi;
let labs: Laboratory[];
let staff: TestUser;
beforeAll(async () => {
  api = await startApi();
  const first = await aLaboratory(api);
  const other = await api.addGroup({ name: 'other' });
  labs = [first, { ...first, group: other }];
  staff = await api.addUser({ staff: true });
});
afterAll(() => api.close());

const all = async (query = '') =>
  (await api.call('GET', `/api/v1/pivat/admin/tasks${query}`, { token: staff.token })).body;
const launch = async (name: string, group = labs[0]!.group): Promise<string> => {
  const id = await labs[0]!.launch(['S1'], { name });
  await api.deps.db('task').where({ id }).update({ group_id: group });
  return id;
};

test('[WORK-02] staff, who are in no group, list the tasks of all groups with their worker and celery id', async () => {
  const [mine, theirs] = [await launch('mine'), await launch('theirs', labs[1]!.group)];
  const uid = randomUUID();
  await api.deps.db('task').where({ id: theirs }).update({ uid, status: 'running' });
  const pool = randomUUID();
  const at = new Date();
  await api.deps
    .db('worker_pool')
    .insert({ id: pool, name: 'cpu', resource_version: 1, queue: 'q', min: 0, max: 2, created: at, modified: at });
  for (const [node, gone] of [
    ['n2', null],
    ['n1', null],
    ['n0', at],
  ] as const)
    await api.deps.db('worker').insert({ id: randomUUID(), pool_id: pool, node, created: at, task: theirs, gone });
  const { count, results } = await all('?sort=name&dir=asc');
  expect(count).toBe(2);
  expect(results).toMatchObject([
    { id: mine, name: 'mine', group: { id: labs[0]!.group }, celery_id: null, workers: [] },
    { id: theirs, name: 'theirs', group: { name: 'other' }, celery_id: uid, workers: ['n1', 'n2'] },
  ]);
  const ids = async (query: string) => (await all(query)).results.map(({ id }: { id: string }) => id);
  expect(await ids(`?group=${labs[1]!.group}`)).toEqual([theirs]);
  expect(await ids(`?q=${uid}`)).toEqual([theirs]);
  expect(await ids('?status=queued')).toEqual([mine]);
});

test('staff abort a task of any group; the audit log names them', async () => {
  const id = await launch('to-abort', labs[1]!.group);
  const abort = () => api.call('POST', `/api/v1/pivat/admin/tasks/${id}/abort`, { token: staff.token });
  expect((await abort()).body).toMatchObject({ id, status: 'aborted', can_abort: false });
  expect(await api.deps.db('audit_log').where({ resource_id: id, action: 'update' }).first()).toMatchObject({
    username: staff.username,
    resource_type: 'task',
  });
  expect(await abort()).toMatchObject({ status: 409, body: { code: 'task_not_abortable' } });
});
