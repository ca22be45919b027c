import { setTimeout as wait } from 'node:timers/promises';
import { ANALYSIS_TASKS, CONFIG_MAPS, EVENTS, JOBS } from '@seqpanel/crds/kube/objects.ts';
import { encodeOperatorSettings, OPERATOR_SETTINGS_NAME } from '@seqpanel/crds/operator-settings.ts';
import { findCondition } from './kube/conditions.ts';
import { startTestCluster, type TestCluster } from './testing/test-cluster.ts';

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster();
  await cluster.applyPipeline();
});
afterEach(() => cluster.stop());

const reasonOf = (name: string, reason: string) =>
  cluster.until(ANALYSIS_TASKS, name, ({ status }) => findCondition(status?.conditions, 'Admitted')?.reason === reason);
const settings = (data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: OPERATOR_SETTINGS_NAME },
  data,
});

test('a group at its limit waits, another group does not, and a new operator decides the same', async () => {
  cluster.holdReads();
  const limits = { SEQPANEL_GROUP_PODS: '1', SEQPANEL_TOTAL_PODS: '8' };
  const first = cluster.startOperator(limits);
  await cluster.applyTask('a-1', ['A', 'B']);
  await cluster.until(JOBS, 'a-1-reads-1', ({ spec }) => spec?.parallelism === 1);
  await cluster.applyTask('a-2', ['A']);
  await reasonOf('a-2', 'GroupAtLimit');
  await cluster.applyTask('b-1', ['A'], { group: 'g2' });
  await cluster.until(JOBS, 'b-1-reads-1', () => true);
  await first.stop();
  const second = cluster.startOperator(limits);
  // Creation times have whole seconds, and of two tasks with the same time either may start first.
  await wait(1_100);
  await cluster.applyTask('a-3', ['A']);
  const { status } = await reasonOf('a-3', 'GroupAtLimit');
  expect(findCondition(status?.conditions, 'Admitted')?.message).toBe(
    'The group is at its limit of 1 running pod. 1 task starts first, 0 of them from other groups.',
  );
  expect(await cluster.jobNames('a-2')).toEqual([]);
  cluster.releaseReads();
  for (const name of ['a-1', 'a-2', 'a-3', 'b-1'])
    expect((await cluster.untilPhase(name, 'Completed', 'Failed')).status?.phase).toBe('Completed');
  await second.stop();
});

test('settings follow the ConfigMap while the operator runs; invalid content is reported and changes nothing', async () => {
  cluster.holdReads();
  const operator = cluster.startOperator({ SEQPANEL_GROUP_PODS: '1' });
  await cluster.applyTask('first', ['A', 'B', 'C']);
  await cluster.until(JOBS, 'first-reads-1', ({ spec }) => spec?.parallelism === 1);
  const stored = await cluster.create(CONFIG_MAPS, settings(encodeOperatorSettings({ groupPods: 2 })));
  await cluster.until(JOBS, 'first-reads-1', ({ spec }) => spec?.parallelism === 2);
  await cluster.patch(CONFIG_MAPS, OPERATOR_SETTINGS_NAME, { data: { 'settings.json': '{"groupPods":"all"}' } });
  const prefix = `${OPERATOR_SETTINGS_NAME}.`;
  for (;;) {
    const { items } = await cluster.client.list(EVENTS, { signal: cluster.signal });
    const event = items.find(
      ({ metadata, reason }) => metadata.name.startsWith(prefix) && reason === 'SettingsInvalid',
    );
    if (event) {
      expect(event.involvedObject).toMatchObject({ kind: 'ConfigMap', uid: stored.metadata.uid });
      break;
    }
    await new Promise((go) => setTimeout(go, 20));
  }
  expect((await cluster.get(JOBS, 'first-reads-1')).spec?.parallelism).toBe(2);
  await cluster.patch(CONFIG_MAPS, OPERATOR_SETTINGS_NAME, { data: encodeOperatorSettings({ groupPods: 0 }) });
  await cluster.until(JOBS, 'first-reads-1', ({ spec }) => spec?.parallelism === 3);
  cluster.releaseReads();
  await cluster.untilPhase('first', 'Completed', 'Failed');
  await operator.stop();
});

test('a task has one spec file, which is deleted when the task ends', async () => {
  const operator = cluster.startOperator();
  await cluster.applyTask('tidy', ['A', 'B']);
  await cluster.untilPhase('tidy', 'Completed', 'Failed');
  const files = async () =>
    (await cluster.client.list(CONFIG_MAPS, { signal: cluster.signal, labelSelector: 'seqpanel.dev/task=tidy' })).items;
  while ((await files()).length > 0) await new Promise((go) => setTimeout(go, 20));
  await operator.stop();
});
