import { JOBS, PIPELINES } from '@seqpanel/crds/kube/objects.ts';
import { startWorld, stepsOf, type World } from './testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.applyPipeline();
});
afterAll(() => world.stop());

test('[K8S-29] an operator that is stopped again and again leaves no Job twice, and the task still completes', async () => {
  await world.applyTask('restarted', ['A', 'B', 'C', 'D']);
  for (const step of ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc']) {
    const operator = world.startOperator();
    await world.until(JOBS, `restarted-${step}-1`, () => true);
    await operator.stop();
  }
  const operator = world.startOperator();
  const task = await world.untilPhase('restarted', 'Completed', 'Failed');
  expect(task.status?.phase).toBe('Completed');
  expect(stepsOf(task).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  expect(await world.jobNames('restarted')).toHaveLength(8);
  await operator.stop();
});

test('two operators at once make no Job twice: names are fixed and the status is written under a lock', async () => {
  const both = [world.startOperator(), world.startOperator()];
  const names = ['twice-1', 'twice-2', 'twice-3'];
  for (const name of names) await world.applyTask(name, ['A', 'B']);
  const tasks = await Promise.all(names.map((name) => world.untilPhase(name, 'Completed', 'Failed')));
  for (const task of tasks) {
    expect(task.status?.phase).toBe('Completed');
    expect(stepsOf(task).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(await world.jobNames(task.metadata.name)).toHaveLength(8);
  }
  await Promise.all(both.map((operator) => operator.stop()));
  expect((await world.story('twice-1')).filter((line) => line.startsWith('StepSucceeded: reads'))).toHaveLength(1);
});

test('[K8S-29] a control plane that is killed in the middle of a step is waited for, and the task completes', async () => {
  world.holdReads();
  const operator = world.startOperator();
  await world.applyTask('outage', ['A', 'B']);
  await world.untilPhase('outage', 'Running');
  await world.restartPlane();
  world.releaseReads();
  const task = await world.untilPhase('outage', 'Completed', 'Failed');
  expect(task.status?.phase).toBe('Completed');
  expect(stepsOf(task).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  expect(await world.jobNames('outage')).toHaveLength(8);
  await operator.stop();
});

test('a Pipeline that is deleted in the middle of a run, with the operator away, changes nothing of the run', async () => {
  world.holdReads();
  const { spec } = await world.get(PIPELINES, 'panel-1.0.0');
  const kind = { apiVersion: 'seqpanel.dev/v1alpha1' as const, kind: 'Pipeline' as const };
  await world.create(PIPELINES, { ...kind, metadata: { name: 'brief-1.0.0' }, spec });
  const first = world.startOperator();
  await world.applyTask('orphan', ['A'], { pipeline: { name: 'brief-1.0.0', version: '1.0.0' } });
  await world.untilPhase('orphan', 'Running');
  await first.stop();
  await world.client.delete(PIPELINES, 'brief-1.0.0', { signal: world.signal, propagation: 'Background' });
  world.releaseReads();
  const second = world.startOperator();
  expect((await world.untilPhase('orphan', 'Completed', 'Failed')).status?.phase).toBe('Completed');
  await second.stop();
});
