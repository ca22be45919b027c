import i18next from 'i18next';
import { startI18n } from '../../i18n/i18n.ts';
import { problemText } from './problem-text.ts';

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
