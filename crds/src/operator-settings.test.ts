import { decodeOperatorSettings, encodeOperatorSettings } from './operator-settings.ts';

test('settings of the operator come back from the ConfigMap as they were written', () => {
  const settings = { finishedTaskDays: 3, groupPods: 96, totalPods: 400, groupWeights: { a: 2 } };
  expect(decodeOperatorSettings(encodeOperatorSettings(settings))).toEqual(settings);
});

test('a ConfigMap without settings changes none', () => {
  expect(decodeOperatorSettings(undefined)).toEqual({});
  expect(decodeOperatorSettings({ other: 'x' })).toEqual({});
});

test('a setting that is not valid is refused by its name', () => {
  expect(() => decodeOperatorSettings({ 'settings.json': '{"groupPods":-1}' })).toThrow('groupPods');
  expect(() => decodeOperatorSettings({ 'settings.json': '{"groupWeights":{"a":0}}' })).toThrow('groupWeights.a');
});
