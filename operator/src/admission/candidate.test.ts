import { setProgressing } from '../analysistask/task-conditions.ts';
import { aJob, aPod } from '../testing/job-builders.ts';
import { ago, aPipeline, aTask, NOW } from '../testing/task-builders.ts';
import { candidateOf } from './candidate.ts';

const pipeline = aPipeline({ samplesPerPod: 2 });
const read = (
  task: ReturnType<typeof aTask>,
  jobs: ReturnType<typeof aJob>[] = [],
  pods: ReturnType<typeof aPod>[] = [],
) =>
  candidateOf({
    key: 'test/t1',
    task: task.build(),
    jobs: jobs.map((job) => job.build()),
    podsOf: (job) => pods.map((pod) => pod.build()).filter((pod) => pod.job === job.name),
    pipeline,
    now: NOW,
  });

test('a waiting task requests the pods of its first step', () => {
  expect(read(aTask('t1', 'A', 'B', 'C'))).toMatchObject({
    group: 'g1',
    started: false,
    wants: 2,
    allowed: 0,
    active: 0,
  });
});

test('a Job requests pods for its remaining work; a young or unscheduled pod can be stopped without losing work', () => {
  const job = aJob('t1', 'reads', [0, 1, 2, 3, 4]).with({ parallelism: 3, completed: [0] });
  const pods = [
    aPod(job.build(), 0).succeeded(),
    aPod(job.build(), 1),
    aPod(job.build(), 2).with({ created: ago(1) }),
    aPod(job.build(), 3).with({ phase: 'Pending' }),
    aPod(job.build(), 4).with({ deleting: { since: ago(1), graceSeconds: 30 } }),
  ];
  expect(read(aTask('t1', 'A', 'B', 'C', 'D', 'E').withStep('reads', 'Running'), [job], pods)).toMatchObject({
    started: true,
    job: 't1-reads-1',
    wants: 4,
    allowed: 3,
    active: 3,
    settled: 1,
    leaving: 1,
  });
});

test('between two steps a task keeps one pod, and an aborted one gets no more', () => {
  const ended = aJob('t1', 'reads', [0, 1]).ended();
  const task = aTask('t1', 'A', 'B').withStep('reads', 'Running');
  expect(read(task, [ended])).toMatchObject({ started: true, wants: 1, allowed: 0, ending: false });
  expect(read(task.aborting(), [ended])).toMatchObject({ ending: true });
});

test('an existing Job counts as the start, also when the status could not be written', () => {
  expect(read(aTask('t1', 'A'), [aJob('t1', 'reads', [0])])).toMatchObject({ started: true });
});

test.each([
  ['PipelineMissing', undefined],
  ['JobForbidden', 1],
])('a task that cannot start for %s does not hold up those behind it: wants %p', (reason, wants) => {
  const task = aTask('t1', 'A', 'B', 'C', 'D').with((t) => {
    t.status = {};
    setProgressing(t, t.status, 'False', reason, '', NOW);
  });
  expect(read(task)?.wants).toBe(wants);
});

test('a task that is aborted before its start uses no turn', () => {
  expect(read(aTask('t1', 'A').aborting())).toBeUndefined();
});
