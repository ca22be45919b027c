import { anInput } from '../testing/decision-input.ts';
import { condition, did, stepOf } from '../testing/decisions.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { ago, aTask } from '../testing/task-builders.ts';
import { decide } from './decide.ts';

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

  test('[K8S-18] a task that has not started is Aborted immediately', () => {
    expect(decide(anInput(aTask('t1', 'A').aborting())).status.phase).toBe('Aborted');
  });

  test('abort does not change a finished task', () => {
    const task = aTask('t1', 'A')
      .withStep('report', 'Succeeded')
      .with((t) => Object.assign(t.status ?? {}, { phase: 'Completed' }))
      .aborting();
    expect(decide(anInput(task)).status.phase).toBe('Completed');
  });
});
