import { STEP_ENV } from '@seqpanel/crds/step-contract.ts';
import { anInput } from '../testing/decision-input.ts';
import { condition, createdJob, envOf, stepOf } from '../testing/decisions.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { ago, aPipeline, aTask } from '../testing/task-builders.ts';
import { decide } from './decide.ts';

describe('failed samples', () => {
  const job = aJob('t1', 'reads', [0, 1, 2]).ended(1);
  const bad = aPod(job.build(), 1).refused('fastq_truncated', 'B.fastq.gz: ends in the middle of a record');

  test('[K8S-19] a failed sample is recorded with its code and message, and the others continue', () => {
    const decision = decide(anInput(aTask('t1', 'A', 'B', 'C').withStep('reads', 'Running'), [job], [bad]));
    expect(decision.status.failures).toEqual([
      { sample: 'B', step: 'reads', code: 'fastq_truncated', message: 'B.fastq.gz: ends in the middle of a record' },
    ]);
    expect(decision.status).toMatchObject({ failedSamples: '1', samples: { total: 3, incomplete: 1 } });
    expect(stepOf(decision, 'reads')).toMatchObject({ state: 'Succeeded', reason: 'SamplesFailed' });
    expect(createdJob(decision)?.metadata?.name).toBe('t1-cohort-1');
    expect(envOf(decision, STEP_ENV.failedSamples)).toBe('1');
  });

  test('[K8S-16] a later sample step holds only samples that have not failed, and its indexes refer to them', () => {
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

  test('[K8S-19] a task fails with reason and message when all samples have failed, and gets no later Job', () => {
    const all = aJob('t1', 'reads', [0, 1]).ended(0, 1);
    const pods = [0, 1].map((index) => aPod(all.build(), index).refused('empty_file', `S${index}.fastq.gz: is empty`));
    const decision = decide(anInput(aTask('t1', 'A', 'B').withStep('reads', 'Running'), [all], pods));
    expect(decision.status.phase).toBe('Failed');
    expect(decision.before).toEqual([]);
    expect(condition(decision, 'Failed')).toMatchObject({ status: 'True', reason: 'NoSampleLeft' });
    expect(stepOf(decision, 'reads')).toMatchObject({ state: 'Failed', message: 'A: S0.fastq.gz: is empty' });
  });

  test('[K8S-19] a task-scoped step that fails permanently fails the task with its message', () => {
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

  test('[K8S-06] the status lists at most 20 failures, but counts and lists all failed samples', () => {
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

  test('with several samples per pod, a sample that failed within a successful pod fails alone', () => {
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

  test('the newest pod decides, and disrupted pods do not count', () => {
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
