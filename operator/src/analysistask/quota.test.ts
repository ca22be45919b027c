import { aJob, anInput, aTask, SETTINGS } from '../testing/builders.ts';
import { createdJob, did } from '../testing/decisions.ts';
import { decide } from './decide.ts';

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
