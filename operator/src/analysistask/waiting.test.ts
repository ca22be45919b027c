import { STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { anInput, SETTINGS } from '../testing/decision-input.ts';
import { condition, createdJob, did, envOf } from '../testing/decisions.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { ago, aPipeline, aTask } from '../testing/task-builders.ts';
import { decide } from './decide.ts';
import { countStuck } from './stuck-tasks.ts';
import { eventsFor } from './task-events.ts';

describe('obstacles', () => {
  const task = aTask('t1', 'A').withStep('reads', 'Running');
  const job = aJob('t1', 'reads', [0]);
  const waiting = (since: number) =>
    aPod(job.build()).with({
      phase: 'Pending',
      waiting: {
        reason: 'Unschedulable',
        message: '0/1 nodes are available: 1 Insufficient memory.',
        since: ago(since),
      },
    });

  test('a pod that cannot start for 5 minutes sets Progressing to False with its message', () => {
    const early = decide(anInput(task, [job], [waiting(299)]));
    expect(condition(early, 'Progressing')?.status).not.toBe('False');
    expect(early.requeueAfterMs).toBe(1_000);
    const late = decide(anInput(task, [job], [waiting(300)]));
    expect(condition(late, 'Progressing')).toMatchObject({ status: 'False', reason: 'Unschedulable' });
    expect(condition(late, 'Progressing')?.message).toContain('Insufficient memory');
  });

  test('pods that queue behind running ones of the same Job are not stuck', () => {
    const two = aJob('t1', 'reads', [0, 1]);
    const decision = decide(anInput(task, [two], [waiting(3000), aPod(two.build(), 1)]));
    expect(condition(decision, 'Progressing')?.status).not.toBe('False');
  });

  test('a Job without any pod is reported', () => {
    const old = aJob('t1', 'reads', [0]).with({ created: ago(301) });
    expect(condition(decide(anInput(task, [old])), 'Progressing')).toMatchObject({ status: 'False', reason: 'NoPods' });
  });

  test('a sample fails only after more than ten disruptions', () => {
    const two = aJob('t1', 'reads', [0, 1]);
    const both = aTask('t1', 'A', 'B').withStep('reads', 'Running');
    const disrupted = (n: number) => Array.from({ length: n }, () => aPod(two.build(), 1).disrupted());
    expect(decide(anInput(both, [two], disrupted(10))).status.failures).toBeUndefined();
    const decision = decide(anInput(both, [two], disrupted(11)));
    expect(decision.status.failures).toMatchObject([{ sample: 'B', code: 'disrupted_too_often' }]);
    expect(createdJob(decision)?.metadata?.name).toBe('t1-reads-2');
    expect(envOf(decision, STEP_ENV.samples)).toBe('0');
    expect(did(decision)).toEqual(['deleteJob t1-reads-1']);
  });

  test('a pod that hangs on a lost node is marked two minutes after its grace period', () => {
    const hanging = (since: number) => aPod(job.build()).with({ deleting: { since: ago(since), graceSeconds: 30 } });
    const notReadyNodes = new Set(['node1']);
    expect(did(decide(anInput(task, [job], [hanging(119)], { notReadyNodes })))).toEqual([]);
    expect(did(decide(anInput(task, [job], [hanging(120)], { notReadyNodes })))).toEqual(['markPodLost']);
    expect(did(decide(anInput(task, [job], [hanging(9999)])))).toEqual([]);
    const settings = { ...SETTINGS, markLostPods: false };
    expect(did(decide(anInput(task, [job], [hanging(9999)], { notReadyNodes, settings })))).toEqual([]);
  });

  test('a hanging pod is reported without access to nodes, also beside running pods', () => {
    const both = aTask('t1', 'A', 'B').withStep('reads', 'Running');
    const two = aJob('t1', 'reads', [0, 1]);
    const hanging = (since: number) => aPod(two.build()).with({ deleting: { since: ago(since), graceSeconds: 30 } });
    const runs = aPod(two.build(), 1);
    const settings = { ...SETTINGS, markLostPods: false };
    const early = decide(anInput(both, [two], [hanging(119), runs], { settings }));
    expect([condition(early, 'Progressing')?.status, early.requeueAfterMs]).toEqual(['True', 1_000]);
    const late = decide(anInput(both, [two], [hanging(120), runs], { settings }));
    expect(condition(late, 'Progressing')).toMatchObject({ status: 'False', reason: 'PodStuckTerminating' });
    expect(condition(late, 'Progressing')?.message).toContain('node node1');
    expect(did(late)).toEqual([]);
    const events = eventsFor(both.build(), early.status, late.status);
    expect(events).toMatchObject([{ type: 'Warning', reason: 'PodStuckTerminating' }]);
    both.with((task) => Object.assign(task, { status: late.status }));
    expect(condition(decide(anInput(both, [two], [runs], { settings })), 'Progressing')?.status).toBe('True');
    // No action is needed where the operator marks the pod itself.
    const marked = decide(anInput(both, [two], [hanging(9999), runs], { notReadyNodes: new Set(['node1']) }));
    expect([did(marked), condition(marked, 'Progressing')?.status]).toEqual([['markPodLost'], 'True']);
  });

  test('an abort that waits for a hanging pod reports it', () => {
    const aborted = aTask('t1', 'A').withStep('reads', 'Running').aborting();
    const hanging = (since: number) => aPod(job.build()).with({ deleting: { since: ago(since), graceSeconds: 30 } });
    const reasonOf = (since: number) =>
      condition(decide(anInput(aborted, [job], [hanging(since)])), 'Progressing')?.reason;
    expect([reasonOf(100), reasonOf(120)]).toEqual(['Aborting', 'PodStuckTerminating']);
  });

  test('a pod that exceeds its time limit and some slack is reported, because its kubelet should have ended it', () => {
    const runs = (seconds: number) => aPod(job.build()).with({ started: ago(seconds) });
    const limit = 12 * 3600;
    const early = decide(anInput(task, [job], [runs(limit + 149)]));
    expect([condition(early, 'Progressing')?.status, early.requeueAfterMs]).toEqual(['True', 1_000]);
    const late = decide(anInput(task, [job], [runs(limit + 150)]));
    expect(condition(late, 'Progressing')).toMatchObject({ status: 'False', reason: 'StepOverdue' });
  });

  test('a task whose first pod does not run for six hours is Overdue until one does', () => {
    const queued = (seconds: number) =>
      aTask('t1', 'A').with(({ metadata }) => Object.assign(metadata, { creationTimestamp: ago(seconds) }));
    const missing = { pipeline: undefined };
    const early = decide(anInput(queued(21_599), [], [], missing));
    expect([condition(early, 'Overdue'), early.requeueAfterMs]).toEqual([undefined, 1_000]);
    const late = decide(anInput(queued(21_600), [], [], missing));
    expect(condition(late, 'Overdue')).toMatchObject({ status: 'True', reason: 'QueueWait' });
    expect(eventsFor(queued(21_600).build(), early.status, late.status)).toMatchObject([{ reason: 'QueueWait' }]);
    expect([...countStuck([late])]).toEqual([
      ['PipelineMissing', 1],
      ['QueueWait', 1],
    ]);
    const suspended = aJob('t1', 'reads', [0]).with({ suspended: true });
    const started = decide(anInput(queued(21_600))).status;
    expect(countStuck([{ status: started }]).get('QueueWait')).toBe(1);
    const waits = queued(21_600).with((each) => Object.assign(each, { status: started }));
    expect(decide(anInput(waits, [suspended])).status.phase).toBe('Queued');
    const runs = decide(anInput(waits, [job], [aPod(job.build())]));
    expect(condition(runs, 'Overdue')?.status).toBe('False');
    expect([...countStuck([runs])]).toEqual([]);
    const never = { ...missing, settings: { ...SETTINGS, queueWaitMs: 0 } };
    expect(condition(decide(anInput(queued(99_999), [], [], never)), 'Overdue')).toBeUndefined();
  });

  test.each([
    ['missing', { pipeline: undefined }, 'Queued', 'PipelineMissing'],
    [
      'disabled',
      { pipeline: { ...aPipeline(), spec: { ...aPipeline().spec, state: 'Disabled' as const } } },
      'Failed',
      'PipelineDisabled',
    ],
    [
      'of another version',
      { pipeline: { ...aPipeline(), spec: { ...aPipeline().spec, version: '2.0.0' } } },
      'Failed',
      'PipelineVersion',
    ],
  ])('[PIPE-08] a Pipeline that is %s is reported before anything is created', (_, more, phase, reason) => {
    const decision = decide(anInput(aTask('t1', 'A'), [], [], more));
    expect(decision.before).toEqual([]);
    expect(decision.status.phase).toBe(phase);
    expect(condition(decision, 'Progressing')).toMatchObject({ status: 'False', reason });
  });

  test('a Pipeline that is disabled later does not stop running tasks', () => {
    const pipeline = { ...aPipeline(), spec: { ...aPipeline().spec, state: 'Disabled' as const } };
    expect(decide(anInput(task, [aJob('t1', 'reads', [0]).ended()], [], { pipeline })).before).toHaveLength(2);
  });
});
