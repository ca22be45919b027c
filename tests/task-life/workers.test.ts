import { once } from 'node:events';
import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import { API_VERSION } from '@seqpanel/crds/kinds.ts';
import { WORKER_POOLS } from '@seqpanel/crds/kube/objects.ts';
import WebSocket from 'ws';
import type { TestUser } from '../../api/test-support/api.ts';
import { aStage, eventually, type Stage, signal } from './stage.ts';

let stage: Stage;
let staff: TestUser;
beforeAll(async () => {
  stage = await aStage(2);
  staff = await stage.apis[0]!.addUser({ staff: true });
});
afterAll(() => stage.close());

const NAME = 'cpu';
const get = async (path: string, api = 0) =>
  (await stage.apis[api]!.call('GET', `/api/v1/pivat/admin/${path}`, { token: staff.token })).body;
const status = (written: WorkerPool['status']) =>
  stage.kube.patch(WORKER_POOLS, NAME, { status: written }, { signal, subresource: 'status' });
const make = () =>
  stage.kube.create(
    WORKER_POOLS,
    {
      apiVersion: API_VERSION,
      kind: 'WorkerPool',
      metadata: { name: NAME },
      spec: {
        queue: 'cpu',
        min: 0,
        max: 4,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'nodes' },
      },
    } as WorkerPool,
    { signal },
  );
const worker = (node: string) => ({
  node,
  instanceId: `i-${node}`,
  cloudStatus: 'Running',
  registerStatus: 'Ready',
  registerDate: '2026-01-01T00:00:00Z',
  ipAddress: '10.0.0.4',
});

describe('the workers of a pool between the cluster and the api', () => {
  test('[K8S-15] replicas together write the workers list once from the status of the WorkerPool, and staff get an event immediately', async () => {
    const socket = new WebSocket(`${stage.apis[1]!.url.replace('http', 'ws')}/ws`);
    await once(socket, 'open');
    const told: { type: string; workers?: string }[] = [];
    socket.on('message', (data) => told.push(JSON.parse(String(data))));
    socket.send(JSON.stringify({ token: staff.token }));
    await eventually(
      async () => told,
      () => told.some(({ type }) => type === 'ready'),
    );

    await make();
    await status({ desired: 2, ready: 1, workers: [worker('n1'), worker('n2')] });
    const { results } = await eventually(
      () => get('workers?sort=node&dir=asc'),
      ({ count }) => count === 2,
    );
    expect(results).toMatchObject([
      {
        node: 'n1',
        pool: NAME,
        queue_name: 'cpu',
        server_instance_id: 'i-n1',
        cloud_status: 'Running',
        register_status: 'Ready',
        register_date: '2026-01-01T00:00:00.000Z',
        ip_address: '10.0.0.4',
      },
      { node: 'n2' },
    ]);
    expect((await get('worker_pools', 1)).results).toMatchObject([{ name: NAME, desired: 2, ready: 1, max: 4 }]);
    expect(told).toContainEqual({ type: 'admin', workers: NAME });

    await status({ desired: 1, ready: 1, workers: [worker('n1')] });
    await eventually(
      () => get('workers?state=gone'),
      ({ count }) => count === 1,
    );
    // Both replicas have seen every status, and nothing was written twice.
    expect((await get('workers')).count).toBe(2);
    const { history } = (await get('worker_pools')).results[0];
    expect(history.slice(-2)).toMatchObject([
      { desired: 2, ready: 1 },
      { desired: 1, ready: 1 },
    ]);
    socket.close();
  });

  test('deleting a pool marks all its workers as gone', async () => {
    await stage.kube.delete(WORKER_POOLS, NAME, { signal, propagation: 'Background' });
    await eventually(
      () => get('workers?state=present'),
      ({ count }) => count === 0,
    );
    expect((await get('worker_pools')).results).toEqual([]);
    expect((await get('workers')).count).toBe(2);
  });
});
