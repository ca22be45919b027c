import type { ConfigMap } from '@seqpanel/crds/kube/core-types.ts';
import { errorFor } from '@seqpanel/crds/kube/errors.ts';
import { decodeOperatorSettings } from '@seqpanel/crds/operator-settings.ts';
import { pino } from 'pino';
import { startApi, type TestApi, type TestUser } from '../../../test-support/api.ts';
import { publishSettings } from './publish-settings.ts';

let api: TestApi;
let staff: TestUser;
beforeAll(async () => {
  api = await startApi();
  staff = await api.addUser({ staff: true });
});
afterAll(() => api.close());

async function setWeight(group: string, weight: number) {
  const path = `/api/v1/pivat/admin/groups/${group}`;
  const { version } = (await api.call('GET', path, { token: staff.token })).body;
  return await api.call('PUT', path, { token: staff.token, body: { version, weight } });
}

/** A fake API server with this one object. */
function aCluster() {
  const held: { object?: ConfigMap; writes: number } = { writes: 0 };
  const put = async (_: unknown, object: ConfigMap) => {
    held.writes++;
    held.object = object;
    return object as never;
  };
  const kube = {
    get: async () => {
      if (!held.object) throw errorFor(404, {});
      return held.object as never;
    },
    create: put,
    update: put,
  };
  const options = { db: api.deps.db, settings: api.deps.settings, kube: kube as never, log: pino({ level: 'silent' }) };
  const publish = () => publishSettings(options, new AbortController().signal);
  return { held, publish, read: () => decodeOperatorSettings(held.object?.data) };
}

test('the operator gets the settings and group weights once, and again only when they change', async () => {
  const { held, publish, read } = aCluster();
  expect([await publish(), await publish()]).toEqual([true, false]);
  // The limits of pods are those of the installation until they are set here.
  expect(read()).toEqual({ finishedTaskDays: 3, groupWeights: {} });
  const group = await api.addGroup();
  const put = (path: string, body: unknown) => api.call('PUT', path, { token: staff.token, body });
  const { status } = await put('/api/v1/pivat/constance', [
    { name: 'finished_task_days', value: 0 },
    { name: 'group_pods', value: 96 },
    { name: 'total_pods', value: 500 },
  ]);
  expect(status).toBe(200);
  expect((await setWeight(group, 4)).body).toMatchObject({ weight: 4 });
  await publish();
  expect(read()).toEqual({ finishedTaskDays: 0, groupPods: 96, totalPods: 500, groupWeights: { [group]: 4 } });
  expect(held.writes).toBe(2);
});

test('foreign keys in the object are kept, and a changed setting is corrected', async () => {
  const { held, publish, read } = aCluster();
  await publish();
  held.object = { ...held.object!, data: { 'settings.json': '{"groupPods":1}', note: 'by hand' } };
  expect(await publish()).toBe(true);
  expect(read()).toMatchObject({ groupPods: 96 });
  expect(held.object?.data?.['note']).toBe('by hand');
});

test.each([
  ['finished_task_days', 10_001],
  ['group_pods', 1_000_001],
  ['total_pods', 5_000_000],
])('%s over its largest value is refused', async (name, value) => {
  const answer = await api.call('PUT', '/api/v1/pivat/constance', { token: staff.token, body: [{ name, value }] });
  expect(answer).toMatchObject({ status: 400, body: { code: 'setting_too_large' } });
});

test.each([0, 101, 1.5])('a weight of %s is refused', async (weight) => {
  const { status, body } = await setWeight(await api.addGroup(), weight);
  expect([status, body.details.problems[0].field]).toEqual([400, 'weight']);
});
