import { expect, test } from '@jest/globals';
import { decideAttempt, type Failures } from './lockout-rules.ts';

const at = (minutes: number) => new Date(minutes * 60_000);
const failures = (count: number, last: number, since = last): Failures => ({
  failures: count,
  since: at(since),
  last: at(last),
});
const decide = (here?: Failures, anywhere?: Failures, isKnownAddress = false, now = 100) =>
  decideAttempt({ here, anywhere, isKnownAddress }, at(now));

test('the fifth failure of an address locks, and its sixth attempt is not admitted for 30 minutes', () => {
  expect(decide(failures(3, 99))).toMatchObject({ admitted: true, here: { failures: 4 }, locks: false });
  expect(decide(failures(4, 99))).toMatchObject({ admitted: true, here: { failures: 5 }, locks: true });
  expect(decide(failures(5, 71))).toEqual({ admitted: false });
  expect(decide(failures(5, 70))).toMatchObject({ admitted: true, here: { failures: 1 } });
});

test('fewer consecutive failures stay counted at any age', () => {
  expect(decide(failures(4, 0))).toMatchObject({ here: { failures: 5 }, locks: true });
});

test('the fiftieth failure of all addresses within 30 minutes locks those that are not known', () => {
  const attempt = decide(undefined, failures(49, 99, 80));
  expect(attempt).toMatchObject({ anywhere: { failures: 50, since: at(80) }, locks: true });
  expect(decide(undefined, failures(50, 71, 60))).toEqual({ admitted: false });
  expect(decide(undefined, failures(50, 71, 60), true)).toMatchObject({ admitted: true, anywhere: undefined });
  expect(decide(undefined, failures(50, 70, 60))).toMatchObject({ admitted: true, anywhere: { failures: 1 } });
});

test('the window of all addresses restarts after 30 minutes', () => {
  expect(decide(undefined, failures(49, 99, 70))).toMatchObject({ anywhere: { failures: 1, since: at(100) } });
});

test('a known address is locked by its own failures', () => {
  expect(decide(failures(5, 99), undefined, true)).toEqual({ admitted: false });
});
