import type { StepStatus } from '@seqpanel/crds/kinds.ts';
import { STEP_ENV, type TaskSpec } from '@seqpanel/crds/step-contract.ts';
import { findCondition } from '../kube/conditions.ts';
import { ago, aJob, anInput, aPipeline, aPod, aTask, NOW, SETTINGS } from '../testing/builders.ts';
import { decide } from './decide.ts';
import type { Decision } from './input.ts';

const stepOf = ({ status }: Decision, name: string): StepStatus | undefined =>
  status.stages?.flatMap(({ steps }) => steps ?? []).find((step) => step.name === name);

const createdJob = ({ before }: Decision) =>
  before.flatMap((action) => (action.do === 'createJob' ? [action.object] : []))[0];
const createdSpec = ({ before }: Decision): TaskSpec | undefined =>
  before.flatMap((a) =>
    a.do === 'createConfigMap' ? [JSON.parse(a.object.data?.['task.json'] ?? '') as TaskSpec] : [],
  )[0];
const envOf = (decision: Decision, name: string) =>
  createdJob(decision)?.spec?.template.spec.containers[0]?.env?.find((entry) => entry.name === name)?.value;
const did = ({ after }: Decision): string[] =>
  after.map((action) => ('job' in action ? `${action.do} ${action.job.name}` : action.do));
const condition = ({ status }: Decision, type: string) => findCondition(status.conditions, type);

describe('start and order', () => {
  test('[K8S-16] a new task gets its spec file and one Job with an index for each sample', () => {
    const decision = decide(anInput(aTask('t1', 'A', 'B', 'C')));
    expect(createdJob(decision)?.metadata?.name).toBe('t1-reads-1');
    expect(createdJob(decision)?.spec).toMatchObject({ completionMode: 'Indexed', completions: 3, parallelism: 3 });
    expect(envOf(decision, STEP_ENV.samples)).toBe('0-2');
    expect(createdSpec(decision)).toMatchObject({ task: 't1', uid: 'uid-t1' });
    expect(decision.status).toMatchObject({ phase: 'Queued', revision: 1, stage: 'secondary', observedGeneration: 1 });
    expect(decision.status.stages?.map(({ name }) => name)).toEqual([
      'secondary',
      'annotation',
      'post-filter',
      'qc',
      'report',
    ]);
  });

  test('[K8S-17] the next Job is made only when the one before has ended', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running');
    expect(decide(anInput(task, [aJob('t1', 'reads', [0])])).before).toEqual([]);
    const decision = decide(anInput(task, [aJob('t1', 'reads', [0]).ended()]));
    expect(createdJob(decision)?.metadata?.name).toBe('t1-cohort-1');
    expect(stepOf(decision, 'reads')).toMatchObject({ state: 'Succeeded', samples: { done: 1 } });
    expect(stepOf(decision, 'cohort')).toMatchObject({ state: 'Running', attempt: 1 });
  });

  test('[K8S-17] the end of a stage opens the next one', () => {
    const task = aTask('t1', 'A').withStep('joint', 'Running');
    const decision = decide(anInput(task, [aJob('t1', 'joint').ended()]));
    expect(createdJob(decision)?.metadata?.name).toBe('t1-annotation-1');
    expect(decision.status.stage).toBe('annotation');
    expect(decision.status.stages?.map(({ state }) => state).slice(0, 2)).toEqual(['Succeeded', 'Running']);
  });

  test('[K8S-05] the last step ends the task Completed', () => {
    const task = aTask('t1', 'A').withStep('report', 'Running');
    const decision = decide(anInput(task, [aJob('t1', 'report').ended()]));
    expect(decision.status.phase).toBe('Completed');
    expect(condition(decision, 'Completed')?.status).toBe('True');
    expect(condition(decision, 'Failed')?.status).toBe('False');
    expect(condition(decision, 'Progressing')?.status).toBe('False');
  });

  test('a task is Running from the first pod that runs on, and only Queued before', () => {
    const task = aTask('t1', 'A')
      .withStep('reads', 'Running')
      .with((t) => Object.assign(t.status ?? {}, { phase: 'Queued' }));
    const job = aJob('t1', 'reads', [0]);
    const pending = aPod(job.build()).with({ phase: 'Pending' });
    expect(decide(anInput(task, [job], [pending])).status.phase).toBe('Queued');
    expect(decide(anInput(task, [job], [aPod(job.build())])).status.phase).toBe('Running');
  });

  test('what is decided twice from the same state is the same, and nothing is written', () => {
    const first = decide(anInput(aTask('t1', 'A')));
    const task = aTask('t1', 'A').with((t) => Object.assign(t, { status: first.status }));
    const second = decide(anInput(task, [aJob('t1', 'reads', [0])]));
    expect(second).toMatchObject({ before: [], after: [], status: first.status });
  });

  test('a step that says it had nothing to do is Skipped, and so is its stage', () => {
    const task = aTask('t1', 'A').withStep('annotation', 'Running');
    const job = aJob('t1', 'annotation').ended();
    const decision = decide(anInput(task, [job], [aPod(job.build()).succeeded({ outcome: 'skipped' })]));
    expect(stepOf(decision, 'annotation')?.state).toBe('Skipped');
    expect(decision.status.stages?.[1]?.state).toBe('Skipped');
    expect(createdJob(decision)?.metadata?.name).toBe('t1-post-filter-1');
  });
});

describe('samples that fail', () => {
  const job = aJob('t1', 'reads', [0, 1, 2]).ended(1);
  const bad = aPod(job.build(), 1).refused('fastq_truncated', 'B.fastq.gz: ends in the middle of a record');

  test('[K8S-19] a failed sample is recorded with its code and message, and the others go on', () => {
    const decision = decide(anInput(aTask('t1', 'A', 'B', 'C').withStep('reads', 'Running'), [job], [bad]));
    expect(decision.status.failures).toEqual([
      { sample: 'B', step: 'reads', code: 'fastq_truncated', message: 'B.fastq.gz: ends in the middle of a record' },
    ]);
    expect(decision.status).toMatchObject({ failedSamples: '1', samples: { total: 3, incomplete: 1 } });
    expect(stepOf(decision, 'reads')).toMatchObject({ state: 'Succeeded', reason: 'SamplesFailed' });
    expect(createdJob(decision)?.metadata?.name).toBe('t1-cohort-1');
    expect(createdSpec(decision)?.failedSamples).toEqual(['B']);
  });

  test('[K8S-16] a later sample step holds only the samples still alive, and its indexes count through these', () => {
    const start = decide(
      anInput(aTask('t1', 'A', 'B', 'C').withStep('cohort', 'Running').withFailed(1), [aJob('t1', 'cohort').ended()]),
    );
    expect(envOf(start, STEP_ENV.samples)).toBe('0,2');
    expect(createdJob(start)?.spec?.completions).toBe(2);

    const call = aJob('t1', 'call', [0, 2]).ended(1);
    const task = aTask('t1', 'A', 'B', 'C').withStep('call', 'Running').withFailed(1);
    const decision = decide(anInput(task, [call], [aPod(call.build(), 1).crashed(1, 'tool: boom\n')]));
    expect(decision.status.failures).toEqual([
      { sample: 'C', step: 'call', code: 'step_failed', message: 'exit code 1: tool: boom', logTail: 'tool: boom' },
    ]);
    expect(decision.status.failedSamples).toBe('1-2');
  });

  test('[K8S-19] no sample left fails the task with reason and message, and no later Job is made', () => {
    const all = aJob('t1', 'reads', [0, 1]).ended(0, 1);
    const pods = [0, 1].map((index) => aPod(all.build(), index).refused('empty_file', `S${index}.fastq.gz: is empty`));
    const decision = decide(anInput(aTask('t1', 'A', 'B').withStep('reads', 'Running'), [all], pods));
    expect(decision.status.phase).toBe('Failed');
    expect(decision.before).toEqual([]);
    expect(condition(decision, 'Failed')).toMatchObject({ status: 'True', reason: 'NoSampleLeft' });
    expect(stepOf(decision, 'reads')).toMatchObject({ state: 'Failed', message: 'A: S0.fastq.gz: is empty' });
  });

  test('[K8S-19] a task-scoped step that fails for good fails the task with its message', () => {
    const cohort = aJob('t1', 'cohort').ended(0);
    const pod = aPod(cohort.build()).refused('frozen_mismatch', 'panel.json: sha256 differs');
    const decision = decide(anInput(aTask('t1', 'A').withStep('cohort', 'Running'), [cohort], [pod]));
    expect(decision.status.phase).toBe('Failed');
    expect(decision.before).toEqual([]);
    expect(stepOf(decision, 'cohort')).toMatchObject({
      state: 'Failed',
      reason: 'StepFailed',
      message: 'panel.json: sha256 differs',
    });
    expect(decision.status.failures).toMatchObject([{ step: 'cohort', code: 'frozen_mismatch' }]);
    expect(decision.status.stages?.[0]?.state).toBe('Failed');
  });

  test('[K8S-06] the status holds at most 20 failures, but counts and lists all failed samples', () => {
    const names = Array.from({ length: 30 }, (_, i) => `S${i}`);
    const failed = names.slice(1).map((_, i) => i + 1);
    const many = aJob(
      't1',
      'reads',
      names.map((_, i) => i),
    ).ended(...failed);
    const decision = decide(anInput(aTask('t1', ...names).withStep('reads', 'Running'), [many]));
    expect(decision.status.failures).toHaveLength(20);
    expect(decision.status).toMatchObject({ failedSamples: '1-29', samples: { incomplete: 29 } });
  });

  test('with several samples per pod, a sample that failed inside a good pod fails alone', () => {
    const pipeline = aPipeline({ samplesPerPod: 2 });
    const two = aJob('t1', 'reads', [0, 1, 2, 3]).with({ samplesPerPod: 2, completions: 2 }).ended(1);
    const pods = [
      aPod(two.build(), 0).succeeded({
        failed: [{ sample: 'B', code: 'empty_file', message: 'B.fastq.gz: is empty' }],
      }),
      aPod(two.build(), 1).crashed(1),
    ];
    const task = aTask('t1', 'A', 'B', 'C', 'D').withStep('reads', 'Running');
    const decision = decide(anInput(task, [two], pods, { pipeline }));
    expect(decision.status.failedSamples).toBe('1-3');
    expect(decision.status.failures?.map(({ sample, code }) => `${sample} ${code}`)).toEqual([
      'B empty_file',
      'C step_failed',
      'D step_failed',
    ]);
    expect(stepOf(decision, 'reads')?.samples).toMatchObject({ done: 1, failed: 3, finished: '0' });
  });

  test('what the newest pod says decides, and a pod of a disruption says nothing', () => {
    const failed = aJob('t1', 'reads', [0, 1]).ended(0);
    const pods = [
      aPod(failed.build(), 0)
        .crashed(1, 'first')
        .with({ created: ago(40) }),
      aPod(failed.build(), 0)
        .crashed(3, 'second')
        .with({ created: ago(30) }),
      aPod(failed.build(), 0)
        .disrupted()
        .with({ created: ago(20) }),
    ];
    const decision = decide(anInput(aTask('t1', 'A', 'B').withStep('reads', 'Running'), [failed], pods));
    expect(decision.status.failures?.[0]?.message).toBe('exit code 3: second');
  });
});

describe('attempts', () => {
  test('a Job that was deleted is made again under the next number, with what is unfinished', () => {
    const samples = { total: 3, done: 2, failed: 0, finished: '0,2' };
    const decision = decide(anInput(aTask('t1', 'A', 'B', 'C').withStep('reads', 'Running', { samples })));
    expect(createdJob(decision)?.metadata?.name).toBe('t1-reads-2');
    expect(envOf(decision, STEP_ENV.samples)).toBe('1');
    expect(envOf(decision, STEP_ENV.attempt)).toBe('2');
    expect(stepOf(decision, 'reads')).toMatchObject({ attempt: 2, job: 't1-reads-2', reason: 'JobLost', samples });
  });

  test('a Job that is being deleted and does not go is left behind, with what it has done', () => {
    const task = aTask('t1', 'A', 'B').withStep('reads', 'Running');
    const job = aJob('t1', 'reads', [0, 1]).with({ deleting: true, completed: [0] });
    const decision = decide(anInput(task, [job]));
    expect(createdJob(decision)?.metadata?.name).toBe('t1-reads-2');
    expect(envOf(decision, STEP_ENV.samples)).toBe('1');
  });

  test('a task that is being deleted and does not go has its Job deleted and starts nothing', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running');
    task.with(({ metadata }) => Object.assign(metadata, { deletionTimestamp: ago(1) }));
    const decision = decide(anInput(task, [aJob('t1', 'reads', [0])]));
    expect(did(decision)).toEqual(['deleteJob t1-reads-1']);
    expect(did(decide(anInput(task, [aJob('t1', 'reads', [0]).with({ deleting: true })])))).toEqual([]);
  });

  test('what ran out of memory gets another attempt with twice as much, without the others', () => {
    const job = aJob('t1', 'reads', [0, 1, 2]).ended(1, 2);
    const pods = [
      aPod(job.build(), 1).crashed(137, '', 'OOMKilled'),
      aPod(job.build(), 2).refused('empty_file', 'empty'),
    ];
    const decision = decide(anInput(aTask('t1', 'A', 'B', 'C').withStep('reads', 'Running'), [job], pods));
    expect(createdJob(decision)?.metadata?.name).toBe('t1-reads-2');
    expect(createdJob(decision)?.spec?.template.spec.containers[0]?.resources?.requests?.['memory']).toBe('2048Mi');
    expect(envOf(decision, STEP_ENV.samples)).toBe('1');
    expect(decision.status.failedSamples).toBe('2');
  });

  test('memory is doubled as often as the setting allows, then the sample fails', () => {
    const job = aJob('t1', 'reads', [1], 3).with({ memory: '4096Mi' }).ended(0);
    const samples = { total: 2, done: 1, failed: 0, finished: '0' };
    const task = aTask('t1', 'A', 'B').withStep('reads', 'Running', { attempt: 3, samples });
    const decision = decide(anInput(task, [job], [aPod(job.build(), 0).crashed(137, '', 'OOMKilled')]));
    expect(decision.status.failures).toMatchObject([{ sample: 'B', code: 'out_of_memory' }]);
    expect(stepOf(decision, 'reads')).toMatchObject({ state: 'Succeeded', samples: { done: 1, failed: 1 } });
    expect(createdJob(decision)?.metadata?.name).toBe('t1-cohort-1');
  });

  test('a recorded step is the truth: its Job may be gone', () => {
    const task = aTask('t1', 'A').withStep('cohort', 'Running');
    const decision = decide(anInput(task, [aJob('t1', 'cohort')]));
    expect(decision.before).toEqual([]);
    expect(stepOf(decision, 'reads')?.state).toBe('Succeeded');
  });

  test('a step whose Jobs vanish again and again fails in the end', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running', { attempt: SETTINGS.maxAttempts });
    expect(decide(anInput(task)).status).toMatchObject({ phase: 'Failed', failures: [{ code: 'too_many_attempts' }] });
  });

  test('alignment asks for the memory that the index of the genome needs', () => {
    const genome = { spec: { displayName: 'G', value: 'G', source: {} }, status: { indexes: [{ memoryMiB: 6000 }] } };
    const decision = decide(anInput(aTask('t1', 'A'), [], [], { genome: genome as never }));
    expect(createdJob(decision)?.spec?.template.spec.containers[0]?.resources?.limits?.['memory']).toBe('6000Mi');
  });
});

describe('lifetimes of Jobs', () => {
  test('a Job gets its time to live only once its result is recorded, and a little later', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running');
    expect(did(decide(anInput(task, [aJob('t1', 'reads', [0])])))).toEqual([]);
    const ended = decide(anInput(task, [aJob('t1', 'reads', [0]).ended()]));
    expect([did(ended), ended.requeueAfterMs]).toEqual([[], 9_000]);
    const next = aTask('t1', 'A').withStep('cohort', 'Running');
    const jobs = [aJob('t1', 'reads', [0]).ended(), aJob('t1', 'cohort')];
    const now = NOW + 9_000;
    expect(did(decide(anInput(next, jobs, [], { now })))).toEqual(['expireJob t1-reads-1']);
    jobs[0]?.with({ hasTtl: true });
    expect(did(decide(anInput(next, jobs, [], { now })))).toEqual([]);
  });

  test('an attempt that was given up is deleted', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running', { attempt: 2 });
    const decision = decide(anInput(task, [aJob('t1', 'reads', [0], 1), aJob('t1', 'reads', [0], 2)]));
    expect(did(decision)).toEqual(['deleteJob t1-reads-1']);
  });

  test('an ingested task is deleted when its time has come, and not before', () => {
    const done = aTask('t1', 'A')
      .withStep('report', 'Succeeded')
      .with((t) => Object.assign(t.status ?? {}, { phase: 'Completed' }))
      .with((t) => Object.assign(t.metadata, { annotations: { 'seqpanel.dev/ingested': 'f1' } }));
    const first = decide(anInput(done));
    expect(condition(first, 'Ingested')?.status).toBe('True');
    expect(did(first)).toEqual([]);
    expect(first.requeueAfterMs).toBe(SETTINGS.retentionMs);
    const later = done.with((t) => Object.assign(t, { status: first.status }));
    expect(did(decide(anInput(later, [], [], { now: NOW + SETTINGS.retentionMs - 1 })))).toEqual([]);
    expect(did(decide(anInput(later, [], [], { now: NOW + SETTINGS.retentionMs })))).toEqual(['deleteTask']);
  });
});

describe('abort', () => {
  test('[K8S-18] abort deletes the Jobs, and the task is Aborted only when no pod is left', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running').aborting();
    const job = aJob('t1', 'reads', [0]);
    const first = decide(anInput(task, [job], [aPod(job.build())]));
    expect(did(first)).toEqual(['deleteJob t1-reads-1']);
    expect(first.status.phase).toBe('Running');

    const still = decide(
      anInput(task, [], [aPod(job.build()).with({ deleting: { since: ago(1), graceSeconds: 30 } })]),
    );
    expect(still.status.phase).toBe('Running');

    const kept = decide(anInput(task, [aJob('t1', 'reads', [0]).with({ deleting: true })]));
    expect(kept.status.phase).toBe('Aborted');

    const last = decide(anInput(task));
    expect(last.status.phase).toBe('Aborted');
    expect(stepOf(last, 'reads')?.state).toBe('Aborted');
    expect(last.status.stages?.[0]?.state).toBe('Aborted');
    expect(condition(last, 'Completed')).toMatchObject({ status: 'False', reason: 'Aborted' });
  });

  test('[K8S-18] a task that was never begun is Aborted at once', () => {
    expect(decide(anInput(aTask('t1', 'A').aborting())).status.phase).toBe('Aborted');
  });

  test('abort does not change a task that has ended', () => {
    const task = aTask('t1', 'A')
      .withStep('report', 'Succeeded')
      .with((t) => Object.assign(t.status ?? {}, { phase: 'Completed' }))
      .aborting();
    expect(decide(anInput(task)).status.phase).toBe('Completed');
  });
});

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
  ])('a Pipeline that is %s is told of before anything is made', (_, more, phase, reason) => {
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

describe('writes', () => {
  const task = aTask('t1', 'A', 'B').withStep('reads', 'Running', {
    samples: { total: 2, done: 0, failed: 0 },
  });
  const first = decide(anInput(task, [aJob('t1', 'reads', [0, 1])])).status;
  const settled = () => aTask('t1', 'A', 'B').with((t) => Object.assign(t, { status: structuredClone(first) }));

  test('progress is written at most every 5 seconds, and asked for again when its time has come', () => {
    const job = aJob('t1', 'reads', [0, 1]).with({ completed: [0] });
    const soon = decide(anInput(settled(), [job], [], { lastWrite: NOW - 4_000 }));
    expect(soon.status).toEqual(first);
    expect(soon.requeueAfterMs).toBe(1_000);
    const later = decide(anInput(settled(), [job], [], { lastWrite: NOW - 5_000 }));
    expect(stepOf(later, 'reads')?.samples).toMatchObject({ done: 1, finished: '0' });
    expect(later.status.revision).toBe((first.revision ?? 0) + 1);
  });

  test('a transition is written at once', () => {
    const job = aJob('t1', 'reads', [0, 1]).ended();
    expect(decide(anInput(settled(), [job], [], { lastWrite: NOW - 1 })).status.revision).toBe(
      (first.revision ?? 0) + 1,
    );
  });
});

describe('quota of a group', () => {
  const settings = { ...SETTINGS, groupPods: 6 };
  test('a Job starts with its share and follows it as tasks of the group come and go', () => {
    const names = ['A', 'B', 'C', 'D'];
    const start = decide(anInput(aTask('t1', ...names), [], [], { settings, groupTasks: 2 }));
    expect(createdJob(start)?.spec?.parallelism).toBe(3);
    const job = aJob('t1', 'reads', [0, 1, 2, 3]).with({ parallelism: 3 });
    const alone = decide(anInput(aTask('t1', ...names).withStep('reads', 'Running'), [job], [], { settings }));
    expect(alone.after).toMatchObject([{ do: 'setParallelism', parallelism: 4 }]);
  });

  test('with a Kueue queue the parallelism is left alone', () => {
    const job = aJob('t1', 'reads', [0, 1]).with({ parallelism: 1 });
    const kueue = { ...settings, job: { ...settings.job, kueueQueue: 'lab' } };
    const first = decide(anInput(aTask('t1', 'A', 'B'), [], [], { settings: { ...kueue, groupPods: 1 } }));
    expect(createdJob(first)).toMatchObject({ metadata: { labels: { 'kueue.x-k8s.io/queue-name': 'lab' } } });
    expect(createdJob(first)?.spec?.parallelism).toBe(2);
    expect(createdJob(first)?.spec?.suspend).toBeUndefined();
    const decision = decide(
      anInput(aTask('t1', 'A', 'B').withStep('reads', 'Running'), [job], [], { settings: kueue }),
    );
    expect(did(decision)).toEqual([]);
  });
});
