import { anInput, SETTINGS } from '../testing/decision-input.ts';
import { condition, createdJob, did } from '../testing/decisions.ts';
import { aJob } from '../testing/job-builders.ts';
import { aTask } from '../testing/task-builders.ts';
import { decide } from './decide.ts';
import { setProgressing } from './task-conditions.ts';

const wait = {
  reason: 'GroupAtLimit' as const,
  message: 'The group is at its limit of 2 running pods. 4 tasks start first, 0 of them from other groups.',
};

test('a waiting task creates nothing, and its condition Admitted gives the reason', () => {
  const decision = decide(anInput(aTask('t1', 'A'), [], [], { admission: { wait } }));
  expect(decision.before).toEqual([]);
  expect(decision.status.phase).toBe('Queued');
  expect(decision.status.stages).toBeUndefined();
  expect(condition(decision, 'Admitted')).toMatchObject({ status: 'False', ...wait });
});

test('an unplanned task creates nothing and writes only its phase', () => {
  const decision = decide(anInput(aTask('t1', 'A'), [], [], { admission: undefined }));
  expect([decision.before, condition(decision, 'Admitted')]).toEqual([[], undefined]);
});

test('a task whose first Job exists was admitted before its status could be written', () => {
  const decision = decide(anInput(aTask('t1', 'A'), [aJob('t1', 'reads', [0])], [], { admission: undefined }));
  expect(createdJob(decision)?.metadata?.name).toBe('t1-reads-1');
});

test('the position in the queue is updated when half of the tasks ahead are gone', () => {
  const waiting = decide(anInput(aTask('t1', 'A'), [], [], { admission: { wait } })).status;
  const later = (ahead: number) => {
    const message = wait.message.replace('4 tasks', `${ahead} tasks`);
    const task = aTask('t1', 'A').with((t) => Object.assign(t, { status: waiting }));
    return decide(anInput(task, [], [], { admission: { wait: { ...wait, message } } })).status.revision;
  };
  expect([waiting.revision, later(4), later(3), later(2)]).toEqual([1, 1, 1, 2]);
});

test('the first Job of an admitted task gets as many pods as are free', () => {
  const decision = decide(
    anInput(aTask('t1', 'A', 'B', 'C'), [], [], { admission: { grant: { pods: 2 } }, podsForNext: 2 }),
  );
  expect(createdJob(decision)?.spec?.parallelism).toBe(2);
  expect(condition(decision, 'Admitted')).toMatchObject({ status: 'True', reason: 'Admitted' });
});

test('a task whose Pipeline now exists takes part in admission again', () => {
  const task = aTask('t1', 'A').with((t) => {
    t.status = {};
    setProgressing(t, t.status, 'False', 'PipelineMissing', 'There is no Pipeline.', 0);
  });
  expect(condition(decide(anInput(task, [], [], { admission: undefined })), 'Progressing')).toMatchObject({
    status: 'True',
    reason: 'Queued',
  });
});

describe('the open Job', () => {
  const job = aJob('t1', 'reads', [0, 1, 2, 3]).with({ parallelism: 4 });
  const running = () => aTask('t1', 'A', 'B', 'C', 'D').withStep('reads', 'Running');
  const grant = { pods: 3, job: 't1-reads-1', parallelism: 3 };

  test('follows the grant', () => {
    const { after } = decide(anInput(running(), [job], [], { admission: { grant } }));
    expect(after).toMatchObject([{ do: 'setParallelism', parallelism: 3 }]);
  });

  test('ignores a grant for another Job, and grants with Kueue', () => {
    expect(
      did(decide(anInput(running(), [job], [], { admission: { grant: { ...grant, job: 't1-cohort-1' } } }))),
    ).toEqual([]);
    const settings = { ...SETTINGS, job: { ...SETTINGS.job, kueue: { queue: 'lab', priorityClass: '' } } };
    expect(did(decide(anInput(running(), [job], [], { settings, admission: { grant } })))).toEqual([]);
    const start = decide(anInput(aTask('t1', 'A', 'B'), [], [], { settings, podsForNext: 1 }));
    expect(createdJob(start)?.spec).toMatchObject({ parallelism: 2 });
  });
});
