import { ANALYSIS_TASKS, JOBS, PIPELINES, PODS } from '@seqpanel/crds/kube/objects.ts';
import { findCondition } from './kube/conditions.ts';
import { startWorld, stepsOf, type World } from './testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await world.applyPipeline();
});
afterAll(() => world.stop());

test('a task that is deleted and applied again under its name runs anew', async () => {
  const operator = world.startOperator();
  await world.applyTask('again', ['A']);
  const { metadata } = await world.untilPhase('again', 'Completed', 'Failed');
  await world.client.delete(ANALYSIS_TASKS, 'again', { signal: world.signal, propagation: 'Background' });
  await world.applyTask('again', ['A', 'B']);
  const second = await world.until(
    ANALYSIS_TASKS,
    'again',
    (task) => task.metadata.uid !== metadata.uid && ['Completed', 'Failed'].includes(task.status?.phase ?? ''),
  );
  expect(second.status).toMatchObject({ phase: 'Completed', samples: { total: 2, incomplete: 0 } });
  await operator.stop();
});

test('[K8S-18] abort ends the Job and its pods, then the task is Aborted', async () => {
  world.holdReads();
  const operator = world.startOperator();
  await world.applyTask('aborted', ['A', 'B']);
  await world.untilPhase('aborted', 'Running');
  await world.patch(ANALYSIS_TASKS, 'aborted', { spec: { abort: true } });
  await world.untilPhase('aborted', 'Aborted');
  const pods = (await world.client.list(PODS, { signal: world.signal })).items;
  expect(pods.filter(({ metadata }) => metadata.name.startsWith('aborted-'))).toEqual([]);
  expect(await world.jobNames('aborted')).toEqual([]);
  world.releaseReads();
  await operator.stop();
});

test('a Job that a person deletes is made again under the next number', async () => {
  world.holdReads();
  const operator = world.startOperator();
  await world.applyTask('deleted', ['A']);
  await world.untilPhase('deleted', 'Running');
  await world.client.delete(JOBS, 'deleted-reads-1', { signal: world.signal, propagation: 'Background' });
  await world.until(JOBS, 'deleted-reads-2', () => true);
  world.releaseReads();
  const task = await world.untilPhase('deleted', 'Completed', 'Failed');
  expect(stepsOf(task)[0]).toMatchObject({ attempt: 2, state: 'Succeeded' });
  await operator.stop();
});

test('a Job of that name that is not ours fails the task and is left alone', async () => {
  await world.create(JOBS, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'taken-reads-1' },
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i', command: ['true'] }] } },
    },
  });
  const operator = world.startOperator();
  await world.applyTask('taken', ['A']);
  const { status } = await world.untilPhase('taken', 'Completed', 'Failed');
  expect(findCondition(status?.conditions, 'Failed')).toMatchObject({ status: 'True', reason: 'JobRefused' });
  expect((await world.get(JOBS, 'taken-reads-1')).metadata.ownerReferences).toBeUndefined();
  await operator.stop();
});

test('a task waits for its Pipeline and says so', async () => {
  const operator = world.startOperator();
  await world.applyTask('early', ['A'], { pipeline: { name: 'other-1.0.0', version: '1.0.0' } });
  const waiting = await world.until(ANALYSIS_TASKS, 'early', ({ status }) => status?.conditions !== undefined);
  expect(findCondition(waiting.status?.conditions, 'Progressing')).toMatchObject({
    status: 'False',
    reason: 'PipelineMissing',
  });
  const { spec } = await world.get(PIPELINES, 'panel-1.0.0');
  await world.create(PIPELINES, {
    apiVersion: 'seqpanel.dev/v1alpha1',
    kind: 'Pipeline',
    metadata: { name: 'other-1.0.0' },
    spec,
  });
  expect((await world.untilPhase('early', 'Completed', 'Failed')).status?.phase).toBe('Completed');
  await operator.stop();
});
