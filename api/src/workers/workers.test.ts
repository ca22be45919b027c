import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { aLaboratory } from '../../test-support/laboratory.ts';
import { forgetWorkerPool, mirrorWorkerPool } from '../background/mirror/mirror-pool.ts';
import type { WorkerStatus } from './plan-workers.ts';
import { pruneWorkers } from './prune.ts';

let api: TestApi;
let staff: TestUser;
beforeAll(async () => {
  api = await startApi();
  staff = await api.addUser({ staff: true });
});
afterAll(() => api.close());
beforeEach(() => api.deps.db('worker_pool').delete());

const HOUR_MS = 3_600_000;
const now = new Date();
const ago = (hours: number): Date => new Date(now.getTime() - hours * HOUR_MS);

const aPool = (version: number, desired: number, workers: WorkerStatus[] = [], name = 'cpu'): Stored<WorkerPool> =>
  ({
    metadata: { name, uid: 'u', resourceVersion: String(version), creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { queue: `${name}-queue`, min: 0, max: 10, scaleTargetRef: { apiVersion: 'v1', kind: 'X', name: 'x' } },
    status: {
      desired,
      ready: workers.length,
      pendingPods: 3,
      runningPods: 1,
      workers,
      conditions: [
        {
          type: 'Scaling',
          status: 'True',
          reason: 'ScalingOut',
          message: '3 pods wait',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  }) as Stored<WorkerPool>;
const aWorker = (node: string, more: object = {}): WorkerStatus => ({
  node,
  instanceId: `i-${node}`,
  cloudStatus: 'Running',
  registerStatus: 'Ready',
  registerDate: '2026-01-01T00:01:00Z',
  ipAddress: '10.0.0.7',
  ...more,
});
const mirror = (pool: Stored<WorkerPool>, at = now) => mirrorWorkerPool(api.deps.db, pool, at);
const get = async (path: string) => (await api.call('GET', `/api/v1/pivat/admin/${path}`, { token: staff.token })).body;
const nodes = async (query = ''): Promise<string[]> =>
  (await get(`workers${query}`)).results.map(({ node }: { node: string }) => node);

describe('the workers list', () => {
  test('[WORK-03] [API-67] a worker has id, server instance id, created, queue name, cloud status, register status, register date and ip address', async () => {
    await mirror(aPool(1, 1, [aWorker('n1', { idleSince: '2026-01-01T02:00:00Z' })]));
    const { count, results } = await get('workers');
    expect(count).toBe(1);
    expect(results[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      server_instance_id: 'i-n1',
      created: now.toISOString(),
      queue_name: 'cpu-queue',
      cloud_status: 'Running',
      register_status: 'Ready',
      register_date: '2026-01-01T00:01:00.000Z',
      ip_address: '10.0.0.7',
      node: 'n1',
      pool: 'cpu',
      task: null,
      idle_since: '2026-01-01T02:00:00.000Z',
      gone: null,
    });
  });

  test('a pool of the same name in a restored cluster is mirrored at any version', async () => {
    await mirror(aPool(9_000_000, 1, [aWorker('old')]));
    const restored = aPool(12, 1, [aWorker('new')]);
    const later = new Date(now.getTime() + HOUR_MS);
    restored.metadata.creationTimestamp = later.toISOString();
    await mirror(restored, new Date(later.getTime() + 1000));
    expect(await nodes('?state=present')).toEqual(['new']);
    restored.metadata.resourceVersion = '11';
    restored.status!.workers = [];
    await mirror(restored, new Date(later.getTime() + 2000));
    expect(await nodes('?state=present')).toEqual(['new']);
  });

  test('a worker has the task that it runs, also a task without a row', async () => {
    const lab = await aLaboratory(api);
    const id = await lab.launch(['S1']);
    await mirror(aPool(1, 2, [aWorker('n1', { task: id }), aWorker('n2', { task: 'by-kubectl' })]));
    expect((await get('workers?sort=node&dir=asc')).results).toMatchObject([
      { node: 'n1', task: { id, name: 'run-1', group: lab.group } },
      { node: 'n2', task: { id: 'by-kubectl', name: 'by-kubectl', group: null } },
    ]);
  });

  test('an older status than the written one changes nothing', async () => {
    await mirror(aPool(10, 2, [aWorker('n1'), aWorker('n2')]));
    expect(await mirror(aPool(9, 0))).toBe(false);
    expect(await mirror(aPool(10, 0))).toBe(false);
    expect((await nodes('?sort=node&dir=asc')).join()).toBe('n1,n2');
    expect((await get('worker_pools')).results[0].desired).toBe(2);
  });

  test('a removed worker is listed after the present ones, without a task, until it is pruned', async () => {
    await mirror(aPool(1, 2, [aWorker('a', { task: 't' }), aWorker('b')]), ago(200));
    await mirror(aPool(2, 1, [aWorker('b')]), ago(199));
    expect(await nodes('?sort=node&dir=asc')).toEqual(['b', 'a']);
    expect(await nodes('?state=present')).toEqual(['b']);
    expect((await get('workers?state=gone')).results).toMatchObject([
      { node: 'a', gone: ago(199).toISOString(), task: null },
    ]);
    await pruneWorkers(api.deps.db, now);
    expect(await nodes()).toEqual(['b']);
  });

  test('it is searched, filtered, sorted and paged on the server', async () => {
    await mirror(
      aPool(
        1,
        3,
        ['n1', 'n2', 'n3'].map((node, i) => aWorker(node, { ipAddress: `10.0.0.${9 - i}` })),
      ),
    );
    await mirror(aPool(2, 1, [aWorker('gpu_1')], 'gpu'));
    expect(await nodes('?sort=ip_address&dir=asc&queue=cpu-queue')).toEqual(['n3', 'n2', 'n1']);
    expect(await nodes('?q=i-n2')).toEqual(['n2']);
    expect(await nodes('?q=U_1')).toEqual(['gpu_1']);
    const page = await get('workers?sort=node&dir=desc&page=2&page_size=2');
    expect([page.count, page.results.map(({ node }: { node: string }) => node)]).toEqual([4, ['n1', 'gpu_1']]);
  });
});

describe('the worker pools', () => {
  test('a pool has its numbers, their reason and their changes in the last 6 hours', async () => {
    await mirror(aPool(1, 1), ago(9));
    await mirror(aPool(2, 4), ago(8));
    await mirror(aPool(3, 4), ago(3));
    await mirror(aPool(4, 2, [aWorker('n1')]), ago(1));
    expect((await get('worker_pools')).results).toEqual([
      expect.objectContaining({
        name: 'cpu',
        queue_name: 'cpu-queue',
        min: 0,
        max: 10,
        desired: 2,
        ready: 1,
        pending_pods: 3,
        running_pods: 1,
        conditions: [{ type: 'Scaling', status: 'True', reason: 'ScalingOut', message: '3 pods wait' }],
        history: [
          { at: ago(8).toISOString(), desired: 4, ready: 0 },
          { at: ago(1).toISOString(), desired: 2, ready: 1 },
        ],
      }),
    ]);
  });

  test('the history is pruned except for the current number', async () => {
    await mirror(aPool(1, 1), ago(400));
    await mirror(aPool(2, 4), ago(300));
    await pruneWorkers(api.deps.db, now);
    expect((await get('worker_pools')).results[0].history).toEqual([
      { at: ago(300).toISOString(), desired: 4, ready: 0 },
    ]);
  });

  test('a deleted pool is not listed and its workers are gone; a recreated one is listed again', async () => {
    await mirror(aPool(1, 1, [aWorker('n1')]));
    await forgetWorkerPool(api.deps.db, 'cpu', now);
    expect((await get('worker_pools')).results).toEqual([]);
    expect(await nodes('?state=present')).toEqual([]);
    await mirror(aPool(5, 1, [aWorker('n1')]));
    expect(await nodes('?state=present')).toEqual(['n1']);
    expect(await nodes()).toEqual(['n1', 'n1']);
  });
});
