import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';

const PATH = '/api/v1/pivat/admin/pipelines';
let api: TestApi;
let staff: TestUser;

beforeAll(async () => {
  api = await startApi();
  staff = await api.addUser({ staff: true });
});
afterAll(() => api?.close());

const call = (method: string, path: string, body?: unknown) =>
  api.call(method, `${PATH}${path}`, { token: staff.token, body });
const intents = async () =>
  (await api.deps.db('outbox').where({ object: 'Pipeline/panel-1.0.0' }).orderBy('id')).map(({ intent }) => intent);

test('[API-48] [API-49] [PIPE-06] [PIPE-07] a shipped pipeline is scanned, installed, deactivated, activated, deleted', async () => {
  const shipped = [{ name: 'panel-1.0.0', display_name: 'Targeted panel', version: '1.0.0' }];
  expect((await call('GET', '/scan')).body).toEqual(shipped);
  const { status, body } = await call('POST', '/install', { name: 'panel-1.0.0' });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    name: 'panel-1.0.0',
    version: '1.0.0',
    status: 'active',
    is_default: true,
    deleted: null,
  });
  expect(body.stages.map(({ name }: { name: string }) => name)).toEqual([
    'secondary',
    'annotation',
    'post-filter',
    'qc',
    'report',
  ]);
  expect((await call('GET', '/scan')).body).toEqual([]);
  expect((await call('GET', '?page_size=99999')).body.results).toEqual([body]);

  expect((await call('POST', `/${body.id}/deactivate`)).body).toMatchObject({ status: 'disabled' });
  expect((await call('POST', `/${body.id}/activate`)).body).toMatchObject({ status: 'active' });
  expect((await call('POST', `/${body.id}/delete`)).body).toMatchObject({
    status: 'deleted',
    deleted: expect.any(String),
    is_default: false,
  });
  expect((await call('POST', `/${body.id}/activate`)).body.code).toBe('pipeline_deleted');
  expect(await intents()).toMatchObject([
    { type: 'apply', object: { metadata: { name: 'panel-1.0.0' }, spec: { version: '1.0.0' } } },
    { type: 'patch', patch: { spec: { state: 'Disabled' } } },
    { type: 'patch', patch: { spec: { state: 'Active' } } },
    { type: 'delete', name: 'panel-1.0.0' },
  ]);
  expect(
    (await api.deps.db('audit_log').where({ resource_id: body.id }).orderBy('created')).map(({ action }) => action),
  ).toEqual(['create', 'update', 'update', 'delete']);
  expect((await call('GET', '/scan')).body).toEqual(shipped);
});

test('a pipeline that is not shipped cannot be installed', async () => {
  expect((await call('POST', '/install', { name: 'other-1.0.0' })).body.code).toBe('pipeline_unknown');
});
