import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Pod } from '@seqpanel/crds/kube/core-types.ts';
import { Conflict, Forbidden } from '@seqpanel/crds/kube/errors.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { Store } from '@seqpanel/crds/kube/store.ts';
import { findCondition } from '../kube/conditions.ts';
import type { EventText } from '../kube/events.ts';
import { ago, NOW } from '../testing/task-builders.ts';
import { aMachine, amounts } from '../testing/workers.ts';
import type { WorkerNode, WorkerPod } from './facts.ts';
import type { Target, WorkerProvider } from './provider.ts';
import { WorkerPoolReconciler } from './reconciler.ts';

const KEY = 'test/fast';
const pool: Stored<WorkerPool> = {
  apiVersion: 'seqpanel.dev/v1alpha1',
  kind: 'WorkerPool',
  metadata: {
    name: 'fast',
    namespace: 'test',
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: ago(9999),
  },
  spec: {
    queue: 'fast',
    min: 0,
    max: 4,
    idleSeconds: 60,
    scaleTargetRef: { apiVersion: 'x/v1', kind: 'X', name: 'x' },
  },
  status: {
    workers: [{ node: 'a', registerStatus: 'Cordoned', registerDate: ago(999), idleSince: ago(500) }],
  },
};
/** Idle for long, cordoned by the pool and settled: the next round removes it. */
const node: WorkerNode = {
  name: 'a',
  labels: {},
  ready: true,
  cordoned: true,
  cordonedBy: KEY,
  cordonedAt: ago(30),
  deleting: false,
  allocatable: amounts(8),
  created: ago(999),
};

interface Setup {
  /** Pods on the node in the API server, whatever the cache contains. */
  podsNow?: Partial<Pod>[];
  read?: () => Promise<Target | undefined>;
  resize?: () => Promise<void>;
  pools?: Stored<WorkerPool>[];
  /** Key of the other installation's pool that owns the target. */
  claimed?: string;
  /** Namespace of the operator. */
  namespace?: string;
}

/** Runs one round and returns its writes in order. */
async function round({ podsNow = [], read, resize, pools = [pool], claimed, namespace = 'test' }: Setup = {}) {
  const calls: string[] = [];
  const recorded: EventText[] = [];
  let status: WorkerPool['status'];
  const machine = aMachine('m-a', 999, { node: 'a', markedAt: ago(30) });
  const target: Target = { replicas: 1, version: '7', settled: true, machines: [machine] };
  const client = {
    namespace,
    list: async () => ({ metadata: { resourceVersion: '9' }, items: podsNow }),
    patch: async (
      resource: { plural: string },
      name: string,
      patch: { metadata?: { annotations?: object }; spec?: object },
    ) => {
      const what = [...Object.keys(patch.metadata?.annotations ?? {}), ...Object.keys(patch.spec ?? {})].join(' ');
      calls.push(`${resource.plural} ${name} ${what}`);
      return pool;
    },
    update: async (
      resource: { plural: string },
      object: Stored<WorkerPool>,
      { subresource }: { subresource?: string },
    ) => {
      calls.push(`${resource.plural} ${object.metadata.name} ${subresource}`);
      status = object.status;
      return { ...pool, status };
    },
  };
  const provider: WorkerProvider = {
    read: read ?? (async () => target),
    resize: async (_, replicas) => {
      await resize?.();
      calls.push(`resize ${replicas}`);
    },
    choice: {
      mark: async (name) => void calls.push(`mark ${name}`),
      unmark: async (name) => void calls.push(`unmark ${name}`),
      replace: async (name) => void calls.push(`replace ${name}`),
    },
  };
  const stores = {
    pools: new Store<Stored<WorkerPool>>(),
    nodes: new Store<WorkerNode>(),
    pods: new Store<WorkerPod>({ node: (p) => (p.node ? [p.node] : []), queue: (p) => [p.queue] }),
  };
  for (const each of pools) stores.pools.set(`test/${each.metadata.name}`, each);
  stores.nodes.set('a', node);
  const reconciler = new WorkerPoolReconciler({
    client: client as unknown as KubeClient,
    choose: async () => provider,
    claims: { take: async () => claimed, release: async (key) => void calls.push(`release ${key}`) },
    ...stores,
    isUnread: () => false,
    events: { record: (_, event) => void recorded.push(event), settled: async () => undefined },
    now: () => NOW,
  });
  const failure = await reconciler.reconcile(KEY, new AbortController().signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { calls, recorded: recorded.map(({ reason }) => reason), failure, status };
}

test('[K8S-25] a removal is recorded on the node before the number is lowered', async () => {
  const { calls, recorded } = await round();
  expect(calls).toEqual(['workerpools fast status', 'nodes a seqpanel.dev/removing-at', 'resize 0']);
  expect(recorded).toContain('ScaledIn');
});

test('[K8S-25] a pod that only the API server has on the node keeps it', async () => {
  const metadata = { name: 'p', namespace: 'test', uid: 'p', resourceVersion: '8', creationTimestamp: ago(0) };
  const { calls, recorded } = await round({ podsNow: [{ metadata, spec: { nodeName: 'a', containers: [] } }] });
  expect(calls).toEqual(['workerpools fast status']);
  expect(recorded).toContain('ScaleInHeld');
});

test('of two rounds that read the same number one lowers it; the other starts again', async () => {
  const { failure, recorded } = await round({
    resize: () => Promise.reject(new Conflict(409, { message: 'changed' })),
  });
  expect(failure).toBeInstanceOf(Conflict);
  expect(recorded).not.toContain('ScaledIn');
});

test('a target that may not be read is reported and nothing is done', async () => {
  const { calls, recorded, failure } = await round({
    read: () => Promise.reject(new Forbidden(403, { message: 'no' })),
  });
  expect([calls, recorded, failure]).toEqual([['workerpools fast status'], ['TargetForbidden'], undefined]);
});

test('a target that another installation scales is left alone, and the condition names its pool', async () => {
  const { calls, recorded, status } = await round({ claimed: 'neighbour/large' });
  expect([calls, recorded]).toEqual([['workerpools fast status'], ['Duplicate']]);
  expect(findCondition(status?.conditions, 'Ready')).toMatchObject({
    status: 'False',
    message: expect.stringMatching(
      /^spec.scaleTargetRef: pool neighbour\/large of another installation already scales this target/,
    ),
  });
});

test('a pool of another installation does not count as deleted because it is not visible', async () => {
  const { calls } = await round({ pools: [], namespace: 'neighbour' });
  expect(calls).toEqual([]);
});

test('a deleted pool uncordons its nodes', async () => {
  const { calls } = await round({ pools: [] });
  expect(calls).toEqual([
    'nodes a seqpanel.dev/cordoned-by seqpanel.dev/cordoned-at seqpanel.dev/removing-at unschedulable',
    'release test/fast',
  ]);
});
