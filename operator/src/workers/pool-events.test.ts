import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { ago, NOW } from '../testing/task-builders.ts';
import { aMachine, amounts, aPod, inputOf, type PoolSetup } from '../testing/workers.ts';
import { quantitiesOf } from './amounts.ts';
import { poolEvents, replaced, scaledIn, scaledOut } from './pool-events.ts';
import { plan } from './pool-plan.ts';
import { rivalOf } from './rival.ts';
import { isUrgent, planStatus } from './status.ts';

const OFFER = { nodeOffer: quantitiesOf(amounts(8)) };
const aPool = (name: string, age: number, spec: Partial<WorkerPool['spec']> = {}): Stored<WorkerPool> => ({
  apiVersion: 'seqpanel.dev/v1alpha1',
  kind: 'WorkerPool',
  metadata: { name, namespace: 'test', uid: name, resourceVersion: '1', generation: 3, creationTimestamp: ago(age) },
  spec: {
    queue: name,
    min: 0,
    max: 2,
    nodeSelector: { pool: name },
    scaleTargetRef: { apiVersion: 'test/v1', kind: 'Group', name },
    ...spec,
  },
});

function statusOf(setup: PoolSetup) {
  const input = inputOf(setup);
  const result = plan(input);
  const pool = { ...aPool('fast', 9), spec: { ...aPool('fast', 9).spec, ...input.spec }, status: input.before };
  const replicas = result.scaleOut ?? input.replicas;
  return { status: planStatus({ pool, plan: result, waiting: input.waiting.length, replicas }, NOW), result };
}
const conditionsOf = (setup: PoolSetup) =>
  Object.fromEntries(
    statusOf(setup).status.conditions!.map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason}: ${message}`,
    ]),
  );

test('[K8S-24] the conditions explain the number of nodes', () => {
  const setup: PoolSetup = {
    nodes: [{ name: 'a', pods: [aPod('r', 8)] }],
    waiting: [aPod('w', 4), aPod('v', 4)],
    before: OFFER,
  };
  expect(conditionsOf(setup)).toEqual({
    Ready: 'True Served: 1 node can take stage pods of queue fast.',
    Scaling: 'True ScalingOut: 1 stage pod running, 2 waiting: 2 nodes needed (min 0, max 10), 2 requested, 1 joining.',
    Limited: 'False WithinLimits: The number of nodes is between spec.min and spec.max.',
  });
});

test('the limit is reported: max, or a pod that fits on no node', () => {
  expect(conditionsOf({ waiting: [aPod('w', 8), aPod('v', 8)], before: OFFER, spec: { max: 1 } })['Limited']).toBe(
    'True MaxReached: 1 node more needed than spec.max (1) allows.',
  );
  expect(conditionsOf({ waiting: [aPod('w', 9)], before: OFFER })['Limited']).toBe(
    'True PodTooLarge: 1 stage pod (such as test/w) requests 9 cores, 9 GiB of memory, but an empty node of this pool has 8 cores, 8 GiB of memory. Use larger nodes.',
  );
});

test('a machine that never registers gets an event for each replacement, and Ready reports it', () => {
  const { status, result } = statusOf({ machines: [aMachine('m1', 901)], replicas: 1 });
  expect(replaced(result)).toEqual([
    {
      type: 'Warning',
      reason: 'NodeNeverRegistered',
      message: 'Replaced m1: did not join the cluster in time (round 1)',
    },
  ]);
  expect(status.conditions?.[0]).toMatchObject({
    status: 'False',
    reason: 'NodeNeverRegistered',
    message:
      '1 requested node did not join the cluster within 900 s (m1); replaced 1 time in a row, with growing delay.',
  });
});

test('a node that disappears without a scale-in or becomes unready gets an event; a removed node does not', () => {
  const workers = (...rows: [string, string][]) => ({
    workers: rows.map(([node, registerStatus]) => ({ node, registerStatus, registerDate: ago(99) })),
  });
  const before = workers(['gone', 'Ready'], ['taken', 'Removing'], ['silent', 'Ready'], ['new', 'Pending']);
  expect(poolEvents(before, workers(['silent', 'NotReady']))).toEqual([
    { type: 'Warning', reason: 'NodeLost', message: 'gone: removed from the cluster, but not by a scale-in' },
    { type: 'Warning', reason: 'NodeLost', message: 'silent: no longer ready' },
  ]);
  expect(poolEvents(before, before)).toEqual([]);
});

test('a removal is recorded before the node goes', () => {
  const { status } = statusOf({ nodes: [{ name: 'a', idle: 700, cordoned: 9, marked: 9 }] });
  expect(status.workers?.[0]).toMatchObject({ registerStatus: 'Removing' });
  expect(poolEvents(status, { ...status, workers: [] })).toEqual([]);
});

test('scaling events contain the old number, the new number and the reason', () => {
  expect(scaledOut(1, 3, [aPod('t1-reads-1-0'), aPod('t1-reads-1-1')], 0).message).toBe(
    'From 1 to 3 nodes: 2 stage pods are waiting (t1-reads-1-0, …)',
  );
  expect(scaledOut(0, 2, [], 2).message).toBe('From 0 to 2 nodes: spec.min is 2');
  expect(scaledIn(9, 2, ['a', 'b', 'c', 'd', 'e', 'f', 'g']).message).toBe(
    'From 9 to 2 nodes, idle: a, b, c, d, e and 2 more',
  );
});

test('a change of running tasks waits for the next write; a new node does not', () => {
  const { status } = statusOf({ nodes: [{ name: 'a' }] });
  const [row] = status.workers!;
  expect(isUrgent(status, { ...status, runningPods: 5, workers: [{ ...row!, task: 't9' }] })).toBe(false);
  expect(isUrgent(status, { ...status, workers: [row!, { node: 'b', registerStatus: 'Ready' }] })).toBe(true);
  expect(isUrgent(status, { ...status, desired: 7 })).toBe(true);
  expect(isUrgent(undefined, status)).toBe(true);
});

describe('of two pools that would scale against each other the older works', () => {
  const old = aPool('old', 100);
  test.each([
    ['one queue', { queue: 'old' }, 'spec.queue: same queue as'],
    ['one target', { scaleTargetRef: old.spec.scaleTargetRef }, 'spec.scaleTargetRef: same target as'],
    [
      'the same target with an explicit namespace',
      { scaleTargetRef: { ...old.spec.scaleTargetRef, namespace: 'test' } },
      'spec.scaleTargetRef: same target as',
    ],
    [
      'the same target in another API version',
      { scaleTargetRef: { ...old.spec.scaleTargetRef, apiVersion: 'test/v2' } },
      'spec.scaleTargetRef: same target as',
    ],
    ['one set of nodes', { nodeSelector: { pool: 'old' } }, 'spec.nodeSelector: same labels as'],
    [
      'nodes that match the labels of both pools',
      { nodeSelector: { pool: 'old', zone: 'a' } },
      'spec.nodeSelector: also matches nodes of',
    ],
  ])('%s', (_, spec, shared) => {
    const young = aPool('young', 50, spec);
    expect(rivalOf(young, [young, old])).toEqual({ pool: old, shared });
    expect(rivalOf(old, [young, old])).toBeUndefined();
  });
  test('targets that list their machines keep nodes with the same labels apart', () => {
    const machines = (name: string, age: number, nodeSelector: Record<string, string>) =>
      aPool(name, age, {
        nodeSelector,
        scaleTargetRef: { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'MachineDeployment', name },
      });
    const [first, second] = [machines('first', 9, { pool: 'a' }), machines('second', 5, { pool: 'a', zone: 'b' })];
    expect(rivalOf(second, [first, second])).toBeUndefined();
  });
  test('pools that share nothing', () => {
    expect(rivalOf(aPool('young', 50), [old])).toBeUndefined();
  });
});
