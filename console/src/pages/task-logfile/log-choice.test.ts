import { expect, test } from '@jest/globals';
import { firstErrorLine, startingLog } from './log-choice.ts';

const log = (name: string, sample: string | null, modified: string) => ({
  name,
  sample,
  step: name.split('-')[0]!,
  stage: 'secondary',
  size: 1,
  modified,
});
const logs = [
  log('reads-S1.log', 'S1', '2026-01-01T00:00:01Z'),
  log('reads-S2.log', 'S2', '2026-01-01T00:00:03Z'),
  log('cohort.log', null, '2026-01-01T00:00:02Z'),
];

test('[TASK-09] the log of the first failure opens', () => {
  const failures = [{ sample: 'S1', step: 'reads', code: 'bad_input', message: 'line 3', log: 'reads-S1.log' }];
  expect(startingLog(logs, new URLSearchParams(), failures)).toBe('reads-S1.log');
});

test('without a failure the newest log opens, or the one in the address', () => {
  expect(startingLog(logs, new URLSearchParams(), [])).toBe('reads-S2.log');
  expect(startingLog(logs, new URLSearchParams('log=cohort.log'), [])).toBe('cohort.log');
  expect(startingLog(logs, new URLSearchParams('sample=S1'), [])).toBe('reads-S1.log');
});

test('the first line that reports an error is found', () => {
  expect(firstErrorLine(['starts', 'bad input: line 3', 'error'])).toBe(1);
  expect(firstErrorLine(['starts', 'done'])).toBeUndefined();
});
