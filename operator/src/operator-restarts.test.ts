import { JOBS, PIPELINES } from '@seqpanel/crds/kube/objects.ts';
import { startTestCluster, stepsOf, type TestCluster } from './testing/test-cluster.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.applyPipeline();
});
afterAll(() => cluster.stop());

test('[K8S-29] an operator that restarts repeatedly creates no Job twice, and the task completes', async () => {
  await cluster.applyTask('restarted', ['A', 'B', 'C', 'D']);
  for (const step of ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc']) {
    const operator = cluster.startOperator();
    await cluster.until(JOBS, `restarted-${step}-1`, () => true);
    await operator.stop();
  }
  const operator = cluster.startOperator();
  const task = await cluster.untilPhase('restarted', 'Completed', 'Failed');
  expect(task.status?.phase).toBe('Completed');
  expect(stepsOf(task).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  expect(await cluster.jobNames('restarted')).toHaveLength(8);
  await operator.stop();
});

test('two operators at once create no Job twice: names are fixed and the status is written under a lock', async () => {
  const both = [cluster.startOperator(), cluster.startOperator()];
  const names = ['twice-1', 'twice-2', 'twice-3'];
  for (const name of names) await cluster.applyTask(name, ['A', 'B']);
  const tasks = await Promise.all(names.map((name) => cluster.untilPhase(name, 'Completed', 'Failed')));
  for (const task of tasks) {
    expect(task.status?.phase).toBe('Completed');
    expect(stepsOf(task).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(await cluster.jobNames(task.metadata.name)).toHaveLength(8);
  }
  await Promise.all(both.map((operator) => operator.stop()));
  expect((await cluster.eventsOf('twice-1')).filter((line) => line.startsWith('StepSucceeded: reads'))).toHaveLength(1);
});

test('[K8S-29] the operator waits for a control plane that was killed during a step, and the task completes', async () => {
  cluster.holdReads();
  const operator = cluster.startOperator();
  await cluster.applyTask('outage', ['A', 'B']);
  await cluster.untilPhase('outage', 'Running');
  await cluster.restartPlane();
  cluster.releaseReads();
  const task = await cluster.untilPhase('outage', 'Completed', 'Failed');
  expect(task.status?.phase).toBe('Completed');
  expect(stepsOf(task).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  expect(await cluster.jobNames('outage')).toHaveLength(8);
  await operator.stop();
});

test('deleting a Pipeline during a run, while the operator is down, does not affect the run', async () => {
  cluster.holdReads();
  const { spec } = await cluster.get(PIPELINES, 'panel-1.0.0');
  const kind = { apiVersion: 'seqpanel.dev/v1alpha1' as const, kind: 'Pipeline' as const };
  await cluster.create(PIPELINES, { ...kind, metadata: { name: 'brief-1.0.0' }, spec });
  const first = cluster.startOperator();
  await cluster.applyTask('orphan', ['A'], { pipeline: { name: 'brief-1.0.0', version: '1.0.0' } });
  await cluster.untilPhase('orphan', 'Running');
  await first.stop();
  await cluster.client.delete(PIPELINES, 'brief-1.0.0', { signal: cluster.signal, propagation: 'Background' });
  cluster.releaseReads();
  const second = cluster.startOperator();
  expect((await cluster.untilPhase('orphan', 'Completed', 'Failed')).status?.phase).toBe('Completed');
  await second.stop();
});
