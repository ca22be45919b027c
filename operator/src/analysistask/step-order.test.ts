import { STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { anInput } from '../testing/decision-input.ts';
import { condition, createdJob, createdSpec, envOf, stepOf } from '../testing/decisions.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { aTask } from '../testing/task-builders.ts';
import { decide } from './decide.ts';

describe('start and order', () => {
  test('[K8S-16] a new task gets its spec file and one Job with an index per sample', () => {
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

  test('[K8S-17] the next Job is created only when the previous one has ended', () => {
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

  test('a task is Running once its first pod runs, and Queued before', () => {
    const task = aTask('t1', 'A')
      .withStep('reads', 'Running')
      .with((t) => Object.assign(t.status ?? {}, { phase: 'Queued' }));
    const job = aJob('t1', 'reads', [0]);
    const pending = aPod(job.build()).with({ phase: 'Pending' });
    expect(decide(anInput(task, [job], [pending])).status.phase).toBe('Queued');
    expect(decide(anInput(task, [job], [aPod(job.build())])).status.phase).toBe('Running');
  });

  test('deciding twice from the same state gives the same result and writes nothing', () => {
    const first = decide(anInput(aTask('t1', 'A')));
    const task = aTask('t1', 'A').with((t) => Object.assign(t, { status: first.status }));
    const second = decide(anInput(task, [aJob('t1', 'reads', [0])]));
    expect(second).toMatchObject({ before: [], after: [], status: first.status });
  });

  test('a step that had nothing to do is Skipped, and so is its stage', () => {
    const task = aTask('t1', 'A').withStep('annotation', 'Running');
    const job = aJob('t1', 'annotation').ended();
    const decision = decide(anInput(task, [job], [aPod(job.build()).succeeded({ outcome: 'skipped' })]));
    expect(stepOf(decision, 'annotation')?.state).toBe('Skipped');
    expect(decision.status.stages?.[1]?.state).toBe('Skipped');
    expect(createdJob(decision)?.metadata?.name).toBe('t1-post-filter-1');
  });
});
