import { STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { anInput, SETTINGS } from '../testing/decision-input.ts';
import { createdJob, did, envOf, stepOf } from '../testing/decisions.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { ago, aTask } from '../testing/task-builders.ts';
import { decide } from './decide.ts';

describe('attempts', () => {
  test('a deleted Job is created again under the next number, with the unfinished samples', () => {
    const samples = { total: 3, done: 2, failed: 0, finished: '0,2' };
    const decision = decide(anInput(aTask('t1', 'A', 'B', 'C').withStep('reads', 'Running', { samples })));
    expect(createdJob(decision)?.metadata?.name).toBe('t1-reads-2');
    expect(envOf(decision, STEP_ENV.samples)).toBe('1');
    expect(envOf(decision, STEP_ENV.attempt)).toBe('2');
    expect(stepOf(decision, 'reads')).toMatchObject({ attempt: 2, job: 't1-reads-2', reason: 'JobLost', samples });
  });

  test('a Job stuck in deletion is replaced, and its finished samples count', () => {
    const task = aTask('t1', 'A', 'B').withStep('reads', 'Running');
    const job = aJob('t1', 'reads', [0, 1]).with({ deleting: true, completed: [0] });
    const decision = decide(anInput(task, [job]));
    expect(createdJob(decision)?.metadata?.name).toBe('t1-reads-2');
    expect(envOf(decision, STEP_ENV.samples)).toBe('1');
  });

  test('a task stuck in deletion has its Job deleted and starts nothing', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running');
    task.with(({ metadata }) => Object.assign(metadata, { deletionTimestamp: ago(1) }));
    const decision = decide(anInput(task, [aJob('t1', 'reads', [0])]));
    expect(did(decision)).toEqual(['deleteJob t1-reads-1']);
    expect(did(decide(anInput(task, [aJob('t1', 'reads', [0]).with({ deleting: true })])))).toEqual([]);
  });

  test('samples that ran out of memory get another attempt with twice as much, without the others', () => {
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

  const HEAP_FULL = [
    'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    '----- Native stack trace -----',
    ' 2: 0x75968e node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]',
  ];
  test.each([
    ['aborts because its heap is full', 134, HEAP_FULL.join('\n'), '2048Mi'],
    ['is the first process of its container', 139, HEAP_FULL.join('\n'), '2048Mi'],
    ['left only the end of its last message', 134, HEAP_FULL[2]!, '2048Mi'],
    ['aborts for another reason', 134, 'Assertion failed', '1024Mi'],
    ['was killed for an unknown reason', 137, '', '1024Mi'],
  ])('a step that %s gets another attempt after its first pod', (_, exitCode, log, memory) => {
    const samples = aTask('t1', 'A', 'B').withStep('reads', 'Running');
    const reads = aJob('t1', 'reads', [0, 1]).ended(1);
    const whole = aTask('t1', 'A').withStep('cohort', 'Running');
    const cohort = aJob('t1', 'cohort').ended(0);
    for (const decision of [
      decide(anInput(samples, [reads], [aPod(reads.build(), 1).crashed(exitCode, log)])),
      decide(anInput(whole, [cohort], [aPod(cohort.build()).crashed(exitCode, log)])),
    ]) {
      expect(createdJob(decision)?.metadata?.name).toMatch(/^t1-(reads|cohort)-2$/);
      const limits = createdJob(decision)?.spec?.template.spec.containers[0]?.resources?.limits;
      expect(limits?.['memory']).toBe(memory);
    }
  });

  test('a step that is killed repeatedly fails after its retries; doubled memory does not count as a retry', () => {
    const task = (attempt: number) => aTask('t1', 'A').withStep('cohort', 'Running', { attempt });
    const killed = (attempt: number, memory: string) => {
      const job = aJob('t1', 'cohort', [], attempt).with({ memory }).ended(0);
      return decide(anInput(task(attempt), [job], [aPod(job.build()).crashed(137)]));
    };
    expect(createdJob(killed(2, '1024Mi'))?.metadata?.name).toBe('t1-cohort-3');
    expect(killed(3, '1024Mi').status).toMatchObject({ phase: 'Failed', failures: [{ code: 'step_failed' }] });
    expect(createdJob(killed(3, '2048Mi'))?.metadata?.name).toBe('t1-cohort-4');
  });

  test('a step killed at its time limit is not retried', () => {
    const job = aJob('t1', 'cohort').ended(0);
    const pod = aPod(job.build()).crashed(137).with({ reason: 'DeadlineExceeded' });
    const decision = decide(anInput(aTask('t1', 'A').withStep('cohort', 'Running'), [job], [pod]));
    expect(decision.status.failures).toMatchObject([{ code: 'step_timeout' }]);
  });

  test('a recorded step stays recorded when its Job is gone', () => {
    const task = aTask('t1', 'A').withStep('cohort', 'Running');
    const decision = decide(anInput(task, [aJob('t1', 'cohort')]));
    expect(decision.before).toEqual([]);
    expect(stepOf(decision, 'reads')?.state).toBe('Succeeded');
  });

  test('a step whose Jobs vanish repeatedly fails in the end', () => {
    const task = aTask('t1', 'A').withStep('reads', 'Running', { attempt: SETTINGS.maxAttempts });
    expect(decide(anInput(task)).status).toMatchObject({ phase: 'Failed', failures: [{ code: 'too_many_attempts' }] });
  });

  test('alignment requests memory for the genome index and the programs beside it', () => {
    const genome = { spec: { displayName: 'G', value: 'G', source: {} }, status: { indexes: [{ memoryMiB: 6000 }] } };
    const decision = decide(anInput(aTask('t1', 'A'), [], [], { genome: genome as never }));
    expect(createdJob(decision)?.spec?.template.spec.containers[0]?.resources?.limits?.['memory']).toBe('7024Mi');
  });
});
