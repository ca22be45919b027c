import { API_VERSION, type WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { ago } from '../testing/task-builders.ts';
import { ANYWHERE, placementOf } from './placement.ts';

const aPool = (queue: string, age: number, spec: Partial<WorkerPool['spec']> = {}): Stored<WorkerPool> => ({
  apiVersion: API_VERSION,
  kind: 'WorkerPool',
  metadata: { name: `${queue}-${age}`, uid: `uid-${age}`, resourceVersion: '1', creationTimestamp: ago(age) },
  spec: {
    queue,
    min: 0,
    max: 2,
    nodeSelector: { pool: `${queue}-${age}` },
    scaleTargetRef: { apiVersion: 'v1', kind: 'X', name: 'x' },
    ...spec,
  },
});

test('a pod without a machine type runs anywhere', () => {
  expect(placementOf(undefined, [aPool('large', 1)])).toBe(ANYWHERE);
  expect(placementOf('', [aPool('large', 1)])).toBe(ANYWHERE);
});

test('the pool is found by instanceType before queue, the oldest first', () => {
  const tolerations = [{ key: 'k', operator: 'Exists' as const }];
  const pools = [
    aPool('m5.4xlarge', 99),
    aPool('young', 1, { instanceType: 'm5.4xlarge' }),
    aPool('old', 9, { instanceType: 'm5.4xlarge', tolerations }),
  ];
  expect(placementOf('m5.4xlarge', pools)).toEqual({
    labels: { 'seqpanel.dev/queue': 'old' },
    nodeSelector: { pool: 'old-9' },
    tolerations,
  });
  expect(placementOf('young', pools)).toEqual({
    labels: { 'seqpanel.dev/queue': 'young' },
    nodeSelector: { pool: 'young-1' },
    tolerations: [],
  });
});

test('without a pool, pods run anywhere and keep the name as their queue', () => {
  expect(placementOf('gpu', [aPool('large', 1)])).toEqual({ ...ANYWHERE, labels: { 'seqpanel.dev/queue': 'gpu' } });
});

test('a name that is not a valid label value does not prevent a pod from running', () => {
  expect(placementOf('large machine (64 cores)', [])).toEqual(ANYWHERE);
  const pool = aPool('large', 1, { instanceType: 'large machine (64 cores)' });
  expect(placementOf('large machine (64 cores)', [pool]).labels).toEqual({ 'seqpanel.dev/queue': 'large' });
});
