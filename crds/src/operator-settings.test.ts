import { decodeOperatorSettings, encodeOperatorSettings } from './operator-settings.ts';

test('settings are read back from the ConfigMap', () => {
  const settings = { finishedTaskDays: 3, groupPods: 96, totalPods: 400, groupWeights: { a: 2 } };
  expect(decodeOperatorSettings(encodeOperatorSettings(settings))).toEqual(settings);
});

test('a ConfigMap without settings changes no setting', () => {
  expect(decodeOperatorSettings(undefined)).toEqual({});
  expect(decodeOperatorSettings({ other: 'x' })).toEqual({});
});

test('an invalid setting is rejected with its name', () => {
  expect(() => decodeOperatorSettings({ 'settings.json': '{"groupPods":-1}' })).toThrow('groupPods');
  expect(() => decodeOperatorSettings({ 'settings.json': '{"groupWeights":{"a":0}}' })).toThrow('groupWeights.a');
});
