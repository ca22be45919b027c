import { encodeOperatorSettings, OPERATOR_SETTINGS_NAME } from '@seqpanel/crds/operator-settings.ts';
import type { EventText } from './kube/events.ts';
import { LiveSettings } from './live-settings.ts';
import { createLog } from './log.ts';
import { SETTINGS } from './testing/decision-input.ts';

const LIMITS = { groupPods: 96, totalPods: 200, groupWeights: {} };
const aConfigMap = (data: Record<string, string>) => ({
  metadata: { name: OPERATOR_SETTINGS_NAME, namespace: 'test', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  data,
});

function aLive(tasks = SETTINGS) {
  const events: EventText[] = [];
  let changes = 0;
  const live = new LiveSettings({
    tasks,
    limits: LIMITS,
    log: createLog('json', 'silent'),
    events: { record: (_, event) => events.push(event), settled: async () => undefined },
  });
  const follow = (type: 'added' | 'modified' | 'deleted', data: Record<string, string>) => {
    if (live.follow({ type, key: 'test/x', object: aConfigMap(data) })) changes++;
  };
  return { live, events, follow, changes: () => changes };
}

test('the ConfigMap overrides the environment, and its deletion restores it', () => {
  const { live, follow, changes } = aLive();
  expect([live.limits(), live.tasks().retentionMs]).toEqual([LIMITS, 3 * 86_400_000]);
  follow('added', encodeOperatorSettings({ finishedTaskDays: 10, totalPods: 400, groupWeights: { g1: 2 } }));
  expect(live.limits()).toEqual({ groupPods: 96, totalPods: 400, groupWeights: { g1: 2 } });
  expect(live.tasks()).toEqual({ ...SETTINGS, retentionMs: 10 * 86_400_000 });
  follow('modified', encodeOperatorSettings({ finishedTaskDays: 10, totalPods: 400, groupWeights: { g1: 2 } }));
  expect(changes()).toBe(1);
  follow('deleted', {});
  expect([live.limits(), changes()]).toEqual([LIMITS, 2]);
});

test.each([
  ['{"totalPods":-1}', 'totalPods'],
  ['{"groupWeights":{"g1":0}}', 'groupWeights.g1'],
  ['no JSON', 'JSON'],
])('invalid content, %s, is reported by an event and changes nothing', (text, named) => {
  const { live, events, follow, changes } = aLive();
  follow('added', encodeOperatorSettings({ totalPods: 50 }));
  follow('modified', { 'settings.json': text });
  expect([live.limits().totalPods, changes()]).toEqual([50, 1]);
  expect(events).toMatchObject([
    { type: 'Warning', reason: 'SettingsInvalid', message: expect.stringContaining(named) },
  ]);
});

test('with Kueue no pod limit applies', () => {
  const { live, follow } = aLive({ ...SETTINGS, job: { ...SETTINGS.job, kueue: { queue: 'q', priorityClass: '' } } });
  follow('added', encodeOperatorSettings({ totalPods: 50 }));
  expect(live.limits()).toMatchObject({ groupPods: 0, totalPods: 0 });
});
