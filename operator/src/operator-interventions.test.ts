import { ANALYSIS_TASKS, JOBS, PIPELINES, PODS } from '@seqpanel/crds/kube/objects.ts';
import { findCondition } from './kube/conditions.ts';
import { startTestCluster, stepsOf, type TestCluster } from './testing/test-cluster.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.applyPipeline();
});
afterAll(() => cluster.stop());

test('a task that is deleted and applied again under the same name runs again', async () => {
  const operator = cluster.startOperator();
  await cluster.applyTask('again', ['A']);
  const { metadata } = await cluster.untilPhase('again', 'Completed', 'Failed');
  await cluster.client.delete(ANALYSIS_TASKS, 'again', { signal: cluster.signal, propagation: 'Background' });
  await cluster.applyTask('again', ['A', 'B']);
  const second = await cluster.until(
    ANALYSIS_TASKS,
    'again',
    (task) => task.metadata.uid !== metadata.uid && ['Completed', 'Failed'].includes(task.status?.phase ?? ''),
  );
  expect(second.status).toMatchObject({ phase: 'Completed', samples: { total: 2, incomplete: 0 } });
  await operator.stop();
});

test('[K8S-18] abort ends the Job and its pods, then the task is Aborted', async () => {
  cluster.holdReads();
  const operator = cluster.startOperator();
  await cluster.applyTask('aborted', ['A', 'B']);
  await cluster.untilPhase('aborted', 'Running');
  await cluster.patch(ANALYSIS_TASKS, 'aborted', { spec: { abort: true } });
  await cluster.untilPhase('aborted', 'Aborted');
  const pods = (await cluster.client.list(PODS, { signal: cluster.signal })).items;
  expect(pods.filter(({ metadata }) => metadata.name.startsWith('aborted-'))).toEqual([]);
  expect(await cluster.jobNames('aborted')).toEqual([]);
  cluster.releaseReads();
  await operator.stop();
});

test('a Job that a person deletes is created again under the next number', async () => {
  cluster.holdReads();
  const operator = cluster.startOperator();
  await cluster.applyTask('deleted', ['A']);
  await cluster.untilPhase('deleted', 'Running');
  await cluster.client.delete(JOBS, 'deleted-reads-1', { signal: cluster.signal, propagation: 'Background' });
  await cluster.until(JOBS, 'deleted-reads-2', () => true);
  cluster.releaseReads();
  const task = await cluster.untilPhase('deleted', 'Completed', 'Failed');
  expect(stepsOf(task)[0]).toMatchObject({ attempt: 2, state: 'Succeeded' });
  await operator.stop();
});

test('a Job of that name with another owner fails the task and is left alone', async () => {
  await cluster.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'taken-reads-1' },
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['true'] }] } },
    },
  });
  const operator = cluster.startOperator();
  await cluster.applyTask('taken', ['A']);
  const { status } = await cluster.untilPhase('taken', 'Completed', 'Failed');
  expect(findCondition(status?.conditions, 'Failed')).toMatchObject({ status: 'True', reason: 'JobRefused' });
  expect((await cluster.get(JOBS, 'taken-reads-1')).metadata.ownerReferences).toBeUndefined();
  await operator.stop();
});

test('a task waits for its Pipeline and reports it', async () => {
  const operator = cluster.startOperator();
  await cluster.applyTask('early', ['A'], { pipeline: { name: 'other-1.0.0', version: '1.0.0' } });
  const waiting = await cluster.until(ANALYSIS_TASKS, 'early', ({ status }) => status?.conditions !== undefined);
  expect(findCondition(waiting.status?.conditions, 'Progressing')).toMatchObject({
    status: 'False',
    reason: 'PipelineMissing',
  });
  const { spec } = await cluster.get(PIPELINES, 'panel-1.0.0');
  await cluster.create(PIPELINES, {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'Pipeline',
    metadata: { name: 'other-1.0.0' },
    spec,
  });
  expect((await cluster.untilPhase('early', 'Completed', 'Failed')).status?.phase).toBe('Completed');
  await operator.stop();
});
