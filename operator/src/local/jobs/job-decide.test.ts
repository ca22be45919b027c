import type { Job } from '@seqpanel/crds/kube/core-types.ts';
import type { Obj } from '../objects/metadata.ts';
import { timestamp } from '../objects/metadata.ts';
import { decideJob } from './job-decide.ts';
import { conditionOf, FAILURES, IGNORED_FAILURES, INDEX, JOB_FINALIZER, type JobPod } from './job-sync.ts';
import { matchPodFailurePolicy } from './pod-failure-policy.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');
type Spec = Record<string, unknown>;

const aJob = (spec: Spec, status: Job['status'] = {}): Job & Obj => ({
  metadata: { name: 'j', namespace: 'n', uid: 'u' },
  spec: {
    completionMode: 'Indexed',
    backoffLimit: 2147483647,
    parallelism: 2,
    template: { spec: { containers: [] } },
    ...spec,
  } as never,
  status,
});

const aPod = (
  index: number,
  phase: string,
  more: { code?: number; failures?: number; agoMs?: number; disrupted?: boolean } = {},
): JobPod => ({
  metadata: {
    name: `j-${index}-${phase}`,
    namespace: 'n',
    uid: `${index}-${phase}-${more.failures ?? 0}`,
    finalizers: [JOB_FINALIZER],
    annotations: { [INDEX]: String(index), [FAILURES]: String(more.failures ?? 0) },
    creationTimestamp: timestamp(NOW - 60_000),
  },
  status: {
    phase: phase as 'Running',
    conditions: [
      ...(phase === 'Running' ? [{ type: 'Ready', status: 'True' as const }] : []),
      ...(more.disrupted ? [{ type: 'DisruptionTarget', status: 'True' as const }] : []),
    ],
    containerStatuses: [
      {
        name: 'main',
        image: '',
        imageID: '',
        ready: false,
        restartCount: 0,
        state:
          phase === 'Running'
            ? {}
            : { terminated: { exitCode: more.code ?? 0, finishedAt: timestamp(NOW - (more.agoMs ?? 0)) } },
      },
    ],
  },
});

const decide = (job: Job & Obj, pods: JobPod[]) => decideJob({ job, pods, now: NOW, backoffMs: 10_000 });
const POLICY = {
  podFailurePolicy: {
    rules: [
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      { action: 'FailIndex', onExitCodes: { operator: 'In', values: [2] } },
    ],
  },
  podReplacementPolicy: 'Failed',
};

describe('the Job controller', () => {
  test('creates up to parallelism, the first indexes first', () => {
    const { create, statuses } = decide(aJob({ completions: 4, backoffLimitPerIndex: 1 }), []);
    expect(create.map(({ index, failures }) => [index, failures])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(statuses).toEqual([expect.objectContaining({ active: 2, ready: 0, startTime: timestamp(NOW) })]);
  });

  test('[K8S-20] delays the retry of a failed index and keeps its pod, which holds the failure count', () => {
    const job = aJob({ completions: 1, backoffLimitPerIndex: 2 }, { startTime: timestamp(NOW - 60_000) });
    const early = decide(job, [aPod(0, 'Failed', { code: 1, agoMs: 4000 })]);
    expect([early.create, early.release, early.wakeAt]).toEqual([[], [], NOW + 6000]);
    const later = decide(job, [aPod(0, 'Failed', { code: 1, agoMs: 10_000 })]);
    expect(later.create).toEqual([{ index: 0, failures: 1, ignored: 0 }]);
    expect(later.statuses[0]).toMatchObject({ failed: 1, active: 1, failedIndexes: '' });
  });

  test('the delay doubles with each failure of the index', () => {
    const job = aJob({ completions: 1, backoffLimitPerIndex: 5 });
    expect(decide(job, [aPod(0, 'Failed', { code: 1, failures: 2 })]).wakeAt).toBe(NOW + 40_000);
  });

  test('[K8S-20] exit 2 fails its index immediately; the Job ends with FailureTarget, then Failed/FailedIndexes', () => {
    const job = aJob({ completions: 2, backoffLimitPerIndex: 3, ...POLICY }, { completedIndexes: '0', succeeded: 1 });
    const { statuses, release } = decide(job, [aPod(1, 'Failed', { code: 2 })]);
    expect(statuses.map(({ conditions }) => conditions?.map(({ type, reason }) => `${type}/${reason}`))).toEqual([
      ['FailureTarget/FailedIndexes'],
      ['FailureTarget/FailedIndexes', 'Failed/FailedIndexes'],
    ]);
    expect(statuses.at(-1)).toMatchObject({ failedIndexes: '1', completedIndexes: '0', failed: 1 });
    expect(release).toHaveLength(1);
  });

  test('[K8S-20] a disrupted pod does not count, whatever its exit code, and its index continues', () => {
    const pod = aPod(0, 'Failed', { code: 2, disrupted: true, agoMs: 20_000 });
    const { create, statuses } = decide(aJob({ completions: 1, backoffLimitPerIndex: 0, ...POLICY }), [pod]);
    expect(create).toEqual([{ index: 0, failures: 0, ignored: 1 }]);
    expect(statuses[0]?.failed).toBeUndefined();
    pod.metadata.annotations![IGNORED_FAILURES] = '1';
    expect(decide(aJob({ completions: 1, backoffLimitPerIndex: 0, ...POLICY }), [pod]).create[0]?.ignored).toBe(2);
  });

  test('more failed indexes than maxFailedIndexes end the Job and delete its running pods', () => {
    const job = aJob({ completions: 4, backoffLimitPerIndex: 0, maxFailedIndexes: 0 });
    const decision = decide(job, [aPod(0, 'Failed', { code: 1 }), aPod(1, 'Running')]);
    expect(decision.delete.map(({ metadata }) => metadata.name)).toEqual(['j-1-Running']);
    expect(conditionOf(decision.statuses[0], 'FailureTarget')?.reason).toBe('MaxFailedIndexesExceeded');
    expect(decision.statuses).toHaveLength(1);
  });

  test('ranges are written as Kubernetes writes them: two in a row are not a range', () => {
    const job = aJob({ completions: 9 }, { completedIndexes: '0,1', succeeded: 2 });
    const { statuses } = decide(job, [aPod(4, 'Succeeded'), aPod(5, 'Succeeded'), aPod(6, 'Succeeded')]);
    expect(statuses[0]?.completedIndexes).toBe('0,1,4-6');
  });

  test('suspending deletes running pods; resuming restarts the deadline', () => {
    const suspended = decide(aJob({ completions: 2, suspend: true }, { startTime: timestamp(NOW - 9000) }), [
      aPod(0, 'Running'),
    ]);
    expect(suspended.delete).toHaveLength(1);
    expect(suspended.statuses[0]?.conditions).toMatchObject([
      { type: 'Suspended', status: 'True', reason: 'JobSuspended' },
    ]);
    const resumed = decide(aJob({ completions: 2 }, suspended.statuses[0]), []);
    expect(resumed.statuses[0]).toMatchObject({ startTime: timestamp(NOW), active: 2 });
    expect(resumed.statuses[0]?.conditions).toMatchObject([
      { type: 'Suspended', status: 'False', reason: 'JobResumed' },
    ]);
  });

  test('without a limit per index, the whole Job waits and then fails with BackoffLimitExceeded', () => {
    const job = aJob({ completions: 2, backoffLimit: 1 });
    expect(decide(job, [aPod(0, 'Failed', { code: 1, agoMs: 3000 })])).toMatchObject({
      create: [],
      wakeAt: NOW + 7000,
    });
    const two = [aPod(0, 'Failed', { code: 1 }), aPod(1, 'Failed', { code: 1 })];
    expect(conditionOf(decide(job, two).statuses.at(-1), 'Failed')?.reason).toBe('BackoffLimitExceeded');
  });

  test('activeDeadlineSeconds ends the Job; until then a sync is scheduled', () => {
    const spec = { completions: 1, activeDeadlineSeconds: 60 };
    expect(decide(aJob(spec, { startTime: timestamp(NOW - 30_000) }), []).wakeAt).toBe(NOW + 30_000);
    const over = decide(aJob(spec, { startTime: timestamp(NOW - 60_000) }), []);
    expect(conditionOf(over.statuses.at(-1), 'Failed')?.reason).toBe('DeadlineExceeded');
  });

  test('a FailJob rule names container, pod, exit code and rule', () => {
    const rules = [{ action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'NotIn', values: [1] } }];
    const match = matchPodFailurePolicy(aJob({ podFailurePolicy: { rules } }), aPod(0, 'Failed', { code: 3 }));
    expect(match.message).toBe(
      'Container main for pod n/j-0-Failed failed with exit code 3 matching FailJob rule at index 0',
    );
  });

  test('a finished Job only releases its pods', () => {
    const job = aJob({ completions: 1 }, { conditions: [{ type: 'Complete', status: 'True' }] });
    const { statuses, release } = decide(job, [aPod(0, 'Running')]);
    expect([statuses, release.length]).toEqual([[], 1]);
  });
});
