import type { KubeNode, Pod, PodSpec } from '@seqpanel/crds/kube/core-types.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { ago } from '../testing/task-builders.ts';
import { aPod } from '../testing/workers.ts';
import { allocatableOf, requestsOf } from './amounts.ts';
import { isUnread, workerNode, workerPod } from './facts.ts';

const metadata = { name: 'p', namespace: 'test', uid: 'u', resourceVersion: '1', creationTimestamp: ago(9) };
const container = (requests: Record<string, string>) => ({ name: 'c', image: 'i', resources: { requests } });

test('a pod requests its containers or a larger init container, plus its overhead', () => {
  const spec: PodSpec = {
    containers: [container({ cpu: '500m', memory: '1Gi' }), container({ cpu: '1', 'ephemeral-storage': '2Gi' })],
    initContainers: [container({ cpu: '100m', memory: '3Gi' })],
    overhead: { cpu: '250m' },
  };
  expect(requestsOf(spec)).toEqual({ cpu: 1750, memory: 3 * 2 ** 30, 'ephemeral-storage': 2 * 2 ** 30, pods: 1 });
});

test('amounts are parsed as nodes write them: bytes, millibytes, exponents', () => {
  const offer = { cpu: '7910m', memory: '32609344Ki', 'ephemeral-storage': '47093746742', pods: '110' };
  expect(allocatableOf(offer)).toEqual({
    cpu: 7910,
    memory: 32609344 * 1024,
    'ephemeral-storage': 47093746742,
    pods: 110,
  });
  expect(allocatableOf({ memory: '1e9', cpu: '0.5' })).toMatchObject({ memory: 1e9, cpu: 500 });
});

test.each([
  [
    'of a DaemonSet',
    { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }] },
    true,
  ],
  ['the mirror of a file on the node', { annotations: { 'kubernetes.io/config.mirror': 'x' } }, true],
  [
    'of a Job',
    { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'j', controller: true }] },
    false,
  ],
])('a pod %s keeps its node: %#', (_, more, daemon) => {
  const pod = { metadata: { ...metadata, ...more }, spec: { containers: [] } } as Stored<Pod>;
  expect(workerPod(pod).daemon).toBe(daemon);
});

test("an administrator's cordon and the operator's own are distinguished", () => {
  const node = (annotations: Record<string, string>) =>
    workerNode({ metadata: { ...metadata, annotations }, spec: { unschedulable: true } } as Stored<KubeNode>);
  expect(node({})).not.toHaveProperty('cordonedBy');
  expect(node({ 'seqpanel.dev/cordoned-by': 'test/pool' })).toMatchObject({ cordoned: true, cordonedBy: 'test/pool' });
});

test('a node has one IP address; a host name is not an address', () => {
  const node = (addresses: { type: string; address: string }[]) =>
    workerNode({ metadata, status: { addresses } } as Stored<KubeNode>).address;
  const hostname = { type: 'Hostname', address: `ip-10-0-0-1.${'a'.repeat(60)}.example` };
  const outside = { type: 'ExternalIP', address: '203.0.113.4' };
  expect(node([hostname, outside, { type: 'InternalIP', address: '10.0.0.1' }])).toBe('10.0.0.1');
  expect(node([hostname, outside])).toBe('203.0.113.4');
  expect(node([hostname])).toBeUndefined();
});

describe('[K8S-25] an ended pod whose result is unread keeps its node', () => {
  const job = { samples: [0, 1], samplesPerPod: 1, recorded: false };
  test.each([
    ['a sample failed: its reason is in the pod', { phase: 'Failed' }, job, true],
    ['the failure was a disruption', { phase: 'Failed', disrupted: true }, job, false],
    ['a pod of one sample ended well: the index says it', { phase: 'Succeeded' }, job, false],
    ['a pod of several names those that failed', { phase: 'Succeeded' }, { ...job, samplesPerPod: 4 }, true],
    ['the pod of a whole task', { phase: 'Succeeded' }, { ...job, samples: [] }, true],
    ['the result is recorded', { phase: 'Failed' }, { ...job, recorded: true }, false],
    ['the Job is gone', { phase: 'Failed' }, undefined, false],
    ['it runs', { phase: 'Running' }, job, false],
    ["another's pod", { phase: 'Failed', queue: '' }, job, false],
  ] as const)('%s', (_, pod, of, expected) => {
    expect(isUnread(aPod('p', 1, pod), of && { ...of, samples: [...of.samples] })).toBe(expected);
  });
});
