import { STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { ago, aJob, anInput, aPipeline, aPod, aTask, SETTINGS } from '../testing/builders.ts';
import { condition, createdJob, did, envOf } from '../testing/decisions.ts';
import { decide } from './decide.ts';

describe('what stands in the way', () => {
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

  test('a pod that cannot start for 5 minutes makes Progressing false, with the text', () => {
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

  test('a Job that gets no pod at all is told of', () => {
    const old = aJob('t1', 'reads', [0]).with({ created: ago(301) });
    expect(condition(decide(anInput(task, [old])), 'Progressing')).toMatchObject({ status: 'False', reason: 'NoPods' });
  });

  test('disruptions are not counted against a sample until there are more than ten', () => {
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

  test('a pod that hangs on a lost node is marked after its grace and two minutes', () => {
    const hanging = (since: number) => aPod(job.build()).with({ deleting: { since: ago(since), graceSeconds: 30 } });
    const notReadyNodes = new Set(['node1']);
    expect(did(decide(anInput(task, [job], [hanging(119)], { notReadyNodes })))).toEqual([]);
    expect(did(decide(anInput(task, [job], [hanging(120)], { notReadyNodes })))).toEqual(['markPodLost']);
    expect(did(decide(anInput(task, [job], [hanging(9999)])))).toEqual([]);
    const settings = { ...SETTINGS, markLostPods: false };
    expect(did(decide(anInput(task, [job], [hanging(9999)], { notReadyNodes, settings })))).toEqual([]);
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
  ])('[PIPE-08] a Pipeline that is %s is told of before anything is made', (_, more, phase, reason) => {
    const decision = decide(anInput(aTask('t1', 'A'), [], [], more));
    expect(decision.before).toEqual([]);
    expect(decision.status.phase).toBe(phase);
    expect(condition(decision, 'Progressing')).toMatchObject({ status: 'False', reason });
  });

  test('a Pipeline that is disabled later stops no running task', () => {
    const pipeline = { ...aPipeline(), spec: { ...aPipeline().spec, state: 'Disabled' as const } };
    expect(decide(anInput(task, [aJob('t1', 'reads', [0]).ended()], [], { pipeline })).before).toHaveLength(2);
  });
});
