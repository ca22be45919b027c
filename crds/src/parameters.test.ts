import { parameterValue, SHIPPED_PARAMETERS } from './parameters.ts';

const definition = SHIPPED_PARAMETERS.find(({ key }) => key === 'min_depth')!;
const ofPanel = (value: number | string) => ({ parameters: [{ ...definition, default: value }] });
const ofPreset = (useDefault: boolean, value: number | string) => ({
  parameters: { useDefault, values: { min_depth: value } },
});
const noValues = { parameters: { useDefault: false, values: {} } };

test("a parameter is the preset's, else the panel's default, else the shipped default", () => {
  expect(parameterValue('min_depth', ofPanel(80), ofPreset(false, 120))).toBe(120);
  expect(parameterValue('min_depth', ofPanel(80), noValues)).toBe(80);
  expect(parameterValue('min_depth', { parameters: [] }, noValues)).toBe(50);
});

test('[PRESET-15] a preset that uses the defaults leaves its own values aside', () => {
  expect(parameterValue('min_depth', ofPanel(80), ofPreset(true, 120))).toBe(80);
});

test('a value of another type is ignored', () => {
  expect(parameterValue('min_depth', ofPanel('80'), noValues)).toBe(50);
  expect(parameterValue('min_depth', ofPanel(80), ofPreset(false, '120'))).toBe(50);
});
