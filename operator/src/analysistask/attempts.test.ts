import { STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { ago, aJob, anInput, aPod, aTask, SETTINGS } from '../testing/builders.ts';
import { createdJob, did, envOf, stepOf } from '../testing/decisions.ts';
import { decide } from './decide.ts';

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

  test('alignment asks for the memory that the index of the genome needs, and for that of the programs beside it', () => {
    const genome = { spec: { displayName: 'G', value: 'G', source: {} }, status: { indexes: [{ memoryMiB: 6000 }] } };
    const decision = decide(anInput(aTask('t1', 'A'), [], [], { genome: genome as never }));
    expect(createdJob(decision)?.spec?.template.spec.containers[0]?.resources?.limits?.['memory']).toBe('7024Mi');
  });
});
