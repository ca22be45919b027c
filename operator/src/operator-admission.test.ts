import { setTimeout as wait } from 'node:timers/promises';
import { ANALYSIS_TASKS, CONFIG_MAPS, EVENTS, JOBS } from '@seqpanel/crds/kube/objects.ts';
import { encodeOperatorSettings, OPERATOR_SETTINGS_NAME } from '@seqpanel/crds/operator-settings.ts';
import { findCondition } from './kube/conditions.ts';
import { startWorld, type World } from './testing/world.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
  await world.applyPipeline();
});
afterEach(() => world.stop());

const reasonOf = (name: string, reason: string) =>
  world.until(ANALYSIS_TASKS, name, ({ status }) => findCondition(status?.conditions, 'Admitted')?.reason === reason);
const settings = (data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: OPERATOR_SETTINGS_NAME },
  data,
});

test('a group at its limit waits, another group does not, and a new operator decides the same', async () => {
  world.holdReads();
  const limits = { SEQPANEL_GROUP_PODS: '1', SEQPANEL_TOTAL_PODS: '8' };
  const first = world.startOperator(limits);
  await world.applyTask('a-1', ['A', 'B']);
  await world.until(JOBS, 'a-1-reads-1', ({ spec }) => spec?.parallelism === 1);
  await world.applyTask('a-2', ['A']);
  await reasonOf('a-2', 'GroupAtLimit');
  await world.applyTask('b-1', ['A'], { group: 'g2' });
  await world.until(JOBS, 'b-1-reads-1', () => true);
  await first.stop();
  const second = world.startOperator(limits);
  // Ages have whole seconds, and of two of the same age either may go first.
  await wait(1_100);
  await world.applyTask('a-3', ['A']);
  const { status } = await reasonOf('a-3', 'GroupAtLimit');
  expect(findCondition(status?.conditions, 'Admitted')?.message).toBe(
    'The group is at its limit of 1 running pod. 1 task goes first, 0 of them of other groups.',
  );
  expect(await world.jobNames('a-2')).toEqual([]);
  world.releaseReads();
  for (const name of ['a-1', 'a-2', 'a-3', 'b-1'])
    expect((await world.untilPhase(name, 'Completed', 'Failed')).status?.phase).toBe('Completed');
  await second.stop();
});

test('settings follow the ConfigMap while the operator runs; bad content is told and changes nothing', async () => {
  world.holdReads();
  const operator = world.startOperator({ SEQPANEL_GROUP_PODS: '1' });
  await world.applyTask('first', ['A', 'B', 'C']);
  await world.until(JOBS, 'first-reads-1', ({ spec }) => spec?.parallelism === 1);
  const stored = await world.create(CONFIG_MAPS, settings(encodeOperatorSettings({ groupPods: 2 })));
  await world.until(JOBS, 'first-reads-1', ({ spec }) => spec?.parallelism === 2);
  await world.patch(CONFIG_MAPS, OPERATOR_SETTINGS_NAME, { data: { 'settings.json': '{"groupPods":"all"}' } });
  const told = `${OPERATOR_SETTINGS_NAME}.`;
  for (;;) {
    const { items } = await world.client.list(EVENTS, { signal: world.signal });
    const event = items.find(({ metadata, reason }) => metadata.name.startsWith(told) && reason === 'SettingsInvalid');
    if (event) {
      expect(event.involvedObject).toMatchObject({ kind: 'ConfigMap', uid: stored.metadata.uid });
      break;
    }
    await new Promise((go) => setTimeout(go, 20));
  }
  expect((await world.get(JOBS, 'first-reads-1')).spec?.parallelism).toBe(2);
  await world.patch(CONFIG_MAPS, OPERATOR_SETTINGS_NAME, { data: encodeOperatorSettings({ groupPods: 0 }) });
  await world.until(JOBS, 'first-reads-1', ({ spec }) => spec?.parallelism === 3);
  world.releaseReads();
  await world.untilPhase('first', 'Completed', 'Failed');
  await operator.stop();
});

test('a task has one spec file, and it is gone with its end', async () => {
  const operator = world.startOperator();
  await world.applyTask('tidy', ['A', 'B']);
  await world.untilPhase('tidy', 'Completed', 'Failed');
  const files = async () =>
    (await world.client.list(CONFIG_MAPS, { signal: world.signal, labelSelector: 'seqpanel.dev/task=tidy' })).items;
  while ((await files()).length > 0) await new Promise((go) => setTimeout(go, 20));
  await operator.stop();
});
