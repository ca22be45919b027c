import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Lease } from '@seqpanel/crds/kube/core-types.ts';
import { AlreadyExists, Conflict, NotFound } from '@seqpanel/crds/kube/errors.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { ago, NOW } from '../testing/task-builders.ts';
import { type Claim, Claims, decideClaim } from './claims.ts';

const MINUTE = 60_000;
const signal = new AbortController().signal;

const aPool = (key: string, target: Partial<WorkerPool['spec']['scaleTargetRef']> = {}): Stored<WorkerPool> => {
  const [namespace, name] = key.split('/') as [string, string];
  return {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'WorkerPool',
    metadata: { namespace, name, uid: key, resourceVersion: '1', creationTimestamp: ago(9) },
    spec: {
      queue: name,
      min: 0,
      max: 4,
      scaleTargetRef: {
        apiVersion: 'cluster.x-k8s.io/v1beta1',
        kind: 'MachineDeployment',
        name: 'large',
        namespace: 'clusters',
        ...target,
      },
    },
  };
};

/** The Leases of a server as far as claims use them; `between` runs once before each write. */
function aServer() {
  const leases = new Map<string, Stored<Lease>>();
  const server = { writes: 0, between: undefined as (() => Promise<unknown>) | undefined };
  const interrupted = async () => {
    const { between } = server;
    server.between = undefined;
    await between?.();
  };
  const store = (namespace: string, lease: Lease) => {
    server.writes++;
    const metadata = { uid: 'u', creationTimestamp: ago(0), ...lease.metadata, resourceVersion: `${server.writes}` };
    leases.set(namespace, { ...lease, metadata } as Stored<Lease>);
    return lease;
  };
  const client = {
    get: async (_: unknown, __: string, { namespace }: { namespace: string }) => {
      const lease = leases.get(namespace);
      if (!lease) throw new NotFound(404, {});
      return lease;
    },
    create: async (_: unknown, lease: Lease, { namespace }: { namespace: string }) => {
      await interrupted();
      if (leases.has(namespace)) throw new AlreadyExists(409, {});
      return store(namespace, lease);
    },
    update: async (_: unknown, lease: Lease, { namespace }: { namespace: string }) => {
      await interrupted();
      if (leases.get(namespace)?.metadata.resourceVersion !== lease.metadata?.resourceVersion)
        throw new Conflict(409, {});
      return store(namespace, lease);
    },
  } as unknown as KubeClient;
  let now = NOW;
  return Object.assign(server, {
    pass: (ms: number) => {
      now += ms;
    },
    /** Creates the claims of a new operator process. */
    operator: () => new Claims(client, () => now),
    claims: (namespace = 'clusters') =>
      Object.values(leases.get(namespace)?.metadata.annotations ?? {}).map((text) => JSON.parse(text) as Claim),
  });
}

const claimBy = (pool: string): Claim => ({ target: 't', pool, renewed: '' });
test.each([
  [undefined, 0, 'take'],
  [claimBy('a/large'), 4 * MINUTE, 'keep'],
  [claimBy('a/large'), 5 * MINUTE, 'take'],
  // The operator allows only one pool of a namespace to claim.
  [claimBy('a/other'), 0, 'take'],
  [claimBy('b/large'), 14 * MINUTE, 'wait'],
  [claimBy('b/large'), 15 * MINUTE, 'take'],
] as const)('the claim %j, unchanged for %i ms, and the pool a/large: %s', (claim, seenMs, move) => {
  expect(decideClaim(claim, 'a/large', seenMs)).toBe(move);
});

test('[K8S-24] of two installations with the same target the first owns it, and the second learns its owner', async () => {
  const server = aServer();
  const [a, b] = [server.operator(), server.operator()];
  expect(await a.take(aPool('a/large'), signal)).toBeUndefined();
  // Also in another API version.
  expect(await b.take(aPool('b/big', { apiVersion: 'cluster.x-k8s.io/v1beta2' }), signal)).toBe('a/large');
  expect(await b.take(aPool('b/big', { name: 'small' }), signal)).toBeUndefined();
  expect(await b.take(aPool('b/big', { namespace: 'elsewhere' }), signal)).toBeUndefined();
  expect(server.claims()).toEqual([
    { target: 'MachineDeployment.cluster.x-k8s.io large', pool: 'a/large', renewed: expect.stringMatching(/Z$/) },
  ]);
  expect(server.claims('elsewhere').map(({ pool }) => pool)).toEqual(['b/big']);
});

test('of two pools that claim it at the same time one succeeds', async () => {
  const server = aServer();
  const [a, b] = [server.operator(), server.operator()];
  server.between = () => b.take(aPool('b/large'), signal);
  expect(await a.take(aPool('a/large'), signal)).toBe('b/large');
  server.between = () => b.take(aPool('b/other', { name: 'other' }), signal);
  expect(await a.take(aPool('a/third', { name: 'third' }), signal)).toBeUndefined();
  expect(server.claims().map(({ pool }) => pool)).toEqual(['b/large', 'b/other', 'a/third']);
});

test('a claim is renewed every five minutes, and expires 15 minutes after its operator is gone', async () => {
  const server = aServer();
  const [a, b] = [server.operator(), server.operator()];
  for (let minute = 0; minute < 30; minute++) {
    expect(await a.take(aPool('a/large'), signal)).toBeUndefined();
    expect(await b.take(aPool('b/large'), signal)).toBe('a/large');
    server.pass(MINUTE);
  }
  expect(server.writes).toBe(6);
  for (let minute = 0; minute < 10; minute++) {
    expect(await b.take(aPool('b/large'), signal)).toBe('a/large');
    server.pass(MINUTE);
  }
  server.pass(5 * MINUTE);
  expect(await b.take(aPool('b/large'), signal)).toBeUndefined();
  // The returning operator finds it claimed.
  expect(await a.take(aPool('a/large'), signal)).toBe('b/large');
});

test('a new operator waits too: it does not know how long the claim was unchanged', async () => {
  const server = aServer();
  await server.operator().take(aPool('a/large'), signal);
  server.pass(60 * MINUTE);
  const b = server.operator();
  expect(await b.take(aPool('b/large'), signal)).toBe('a/large');
  server.pass(15 * MINUTE);
  expect(await b.take(aPool('b/large'), signal)).toBeUndefined();
});

test('a pool that is deleted or names another target releases its claim', async () => {
  const server = aServer();
  const [a, b] = [server.operator(), server.operator()];
  await a.take(aPool('a/large'), signal);
  expect(await b.take(aPool('b/large'), signal)).toBe('a/large');
  await a.take(aPool('a/large', { name: 'other' }), signal);
  expect(await b.take(aPool('b/large'), signal)).toBeUndefined();
  await a.release('a/large', signal);
  await a.release('a/large', signal);
  expect(server.claims().map(({ pool }) => pool)).toEqual(['b/large']);
});
