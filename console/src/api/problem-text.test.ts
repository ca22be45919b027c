import i18next from 'i18next';
import { startI18n } from '../i18n/i18n.ts';
import { fieldText, problemText } from './problem-text.ts';

beforeAll(async () => {
  await startI18n('zh');
});

test('a problem is shown in the language of the page', () => {
  const problem = { code: 'pair_tumor_twice', message: 'Pair P1: T1 is already paired.', pair: 'P1', sample: 'T1' };
  expect(problemText(i18next.t, problem)).toBe('配对 P1：T1 已在其他配对中。');
});

test('a problem that lacks a value of its text is shown as its message', () => {
  const message = 'S1_R1.fq has no mate file in its lane. Add the mate, or remove this file.';
  expect(problemText(i18next.t, { code: 'mate_missing', message })).toBe(message);
});

test('the values of a problem fill its text', () => {
  const problem = { code: 'number_min', message: 'The value must be at least 1.', values: { min: 1 } };
  expect(problemText(i18next.t, problem)).toBe('该值须不小于 1。');
});

test('a value that the API document does not allow has a text with its limit', () => {
  expect(problemText(i18next.t, { code: 'maxLength', message: 'must NOT have more than 31 characters' })).toBe(
    '最多 31 个字符。',
  );
  expect(problemText(i18next.t, { code: 'required', message: "must have required property 'name'" })).toBe(
    '该字段不能缺失。',
  );
  expect(problemText(i18next.t, { code: 'unknownKeyword', message: 'must match' })).toBe('must match');
});

test.each([
  ['run_name', '运行名称'],
  ['roi.rows[3].start', 'ROI · 第 4 行 · 起始位置'],
  ['parameters.values.min_depth', '参数 · min_depth'],
  ['samples/0/library_id', '样本 · 第 1 行 · 文库 ID'],
  ['panel.json: line 12', 'panel.json: 第 12 行'],
  ['S1_R1.fastq.gz', 'S1_R1.fastq.gz'],
])('the place %s of a problem is %s', (field, text) => {
  expect(fieldText(i18next.t, field)).toBe(text);
});
