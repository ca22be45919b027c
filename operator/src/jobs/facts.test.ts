import type { Job, Pod } from '@seqpanel/crds/kube/core-types.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { buildJob } from '../analysistask/job.ts';
import { SETTINGS } from '../testing/decision-input.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { ago, aPipeline, aTask } from '../testing/task-builders.ts';
import { lacksEnds } from './ended-pods.ts';
import { isNotReady, jobFacts, podFacts } from './facts.ts';
import { ANYWHERE } from './placement.ts';

const stored = <T extends object>(object: T): Stored<T> =>
  ({
    ...object,
    metadata: { uid: 'u', resourceVersion: '1', creationTimestamp: ago(5), ...(object as Job).metadata },
  }) as Stored<T>;

test('the settings of a Job are read back from it', () => {
  const step = aPipeline().spec.stages[0]?.steps[0];
  const job = buildJob({
    task: aTask('t1', 'A', 'B', 'C').build(),
    stage: 'secondary',
    step: { ...step, samplesPerPod: 2 } as NonNullable<typeof step>,
    image: 'seqpanel/pipeline:1.0.0',
    attempt: 2,
    samples: [0, 2],
    failedSamples: [],
    stepNumber: 1,
    memory: '2048Mi',
    genome: undefined,
    parallelism: 9,
    placement: ANYWHERE,
    settings: SETTINGS.job,
  });
  const status: Job['status'] = {
    completedIndexes: '0',
    failedIndexes: '1-2',
    conditions: [
      { type: 'FailureTarget', status: 'True' },
      { type: 'Failed', status: 'True', reason: 'FailedIndexes', message: 'm', lastTransitionTime: ago(1) },
    ],
  };
  expect(jobFacts(stored({ ...job, status }))).toMatchObject({
    name: 't1-reads-2',
    task: 't1',
    step: 'reads',
    attempt: 2,
    samples: [0, 2],
    samplesPerPod: 2,
    completions: 1,
    memory: '2048Mi',
    owner: { uid: 'uid-t1' },
    hasTtl: false,
    suspended: false,
    completed: [0],
    failed: [1, 2],
    end: { result: 'Failed', reason: 'FailedIndexes' },
  });
});

test('a Job whose pods are still ending has not ended', () => {
  const status: Job['status'] = { conditions: [{ type: 'FailureTarget', status: 'True' }] };
  expect(jobFacts(stored({ metadata: { name: 'j' }, status } as Job)).end).toBeUndefined();
});

const aWaitingPod = (status: Pod['status'], nodeName?: string): Stored<Pod> =>
  stored({
    metadata: { name: 'p' },
    spec: { containers: [], ...(nodeName && { nodeName }) },
    status: { phase: 'Pending', ...status },
  });

test.each<[string, Pod['status'], string]>([
  [
    'cannot be placed',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'm' }] },
    'Unschedulable',
  ],
  ['no scheduler has processed', {}, 'Unschedulable'],
  [
    'another controller holds back',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'm' }] },
    'SchedulingGated',
  ],
])('a pod without a node that %s waits with that reason', (_, status, reason) => {
  expect(podFacts(aWaitingPod(status)).waiting?.reason).toBe(reason);
});

const waiting = (reason: { reason: string; message?: string }): Pod['status'] => ({
  containerStatuses: [
    { name: 'step', image: '', imageID: '', ready: false, restartCount: 0, state: { waiting: reason } },
  ],
});

test.each<[string, Pod['status'], string]>([
  ['has no image', waiting({ reason: 'ErrImagePull', message: 'm' }), 'ImagePullBackOff'],
  ['is being created', waiting({ reason: 'ContainerCreating' }), 'NotStarted'],
])('a pod on a node that %s waits with that reason', (_, status, reason) => {
  expect(podFacts(aWaitingPod(status, 'node1')).waiting?.reason).toBe(reason);
});

test('the step’s container is found by name, whatever a service mesh adds', () => {
  const ended = (name: string, exitCode: number) => ({ name, state: { terminated: { exitCode } } });
  const containerStatuses = [ended('istio-proxy', 0), ended('step', 2)];
  const pod = stored({ metadata: { name: 'p' }, status: { phase: 'Failed', containerStatuses } } as Pod);
  expect(podFacts(pod).ended?.exitCode).toBe(2);
});

test('a node is not ready when its condition is False, Unknown or missing', () => {
  const node = (status?: 'True' | 'False' | 'Unknown') => ({
    status: { conditions: status ? [{ type: 'Ready', status }] : [] },
  });
  expect([node('True'), node('False'), node('Unknown'), node()].map(isNotReady)).toEqual([false, true, true, true]);
});

test('pods are read when the Job’s end arrived before the pods that it needs', () => {
  const sample = aJob('t1', 'reads', [0, 1]);
  expect(lacksEnds(sample.build(), [])).toBe(false);
  // A success needs no pod of a single sample; a failure does.
  expect(lacksEnds(sample.ended().build(), [])).toBe(false);
  const failed = sample.ended(1).build();
  expect(lacksEnds(failed, [aPod(failed, 1).build()])).toBe(true);
  expect(lacksEnds(failed, [aPod(failed, 1).disrupted().build()])).toBe(true);
  expect(lacksEnds(failed, [aPod(failed, 1).crashed(1).build()])).toBe(false);
  const task = aJob('t1', 'cohort').ended().build();
  expect(lacksEnds(task, [])).toBe(true);
  expect(lacksEnds(task, [aPod(task).succeeded().build()])).toBe(false);
});
