import { expect, test } from '@jest/globals';
import { createTokenBuckets } from './token-buckets.ts';

const clock = () => {
  let seconds = 0;
  return { now: () => new Date(seconds * 1000), pass: (by: number) => (seconds += by) };
};

test('a key can take its burst at once, then as many as it regains', () => {
  const { now, pass } = clock();
  const buckets = createTokenBuckets({ burst: 3, perSecond: 0.5, maxKeys: 10 }, now);
  expect([1, 2, 3, 4].map(() => buckets.take('a'))).toEqual([0, 0, 0, 2]);
  expect(buckets.take('b')).toBe(0);
  pass(1);
  expect(buckets.take('a')).toBe(1);
  pass(1);
  expect(buckets.take('a')).toBe(0);
  pass(1000);
  expect([1, 2, 3, 4].map(() => buckets.take('a') === 0)).toEqual([true, true, true, false]);
});

test('the number of buckets is limited, and the least recently used is evicted', () => {
  const { now } = clock();
  const buckets = createTokenBuckets({ burst: 1, perSecond: 1, maxKeys: 2 }, now);
  for (const key of ['a', 'b', 'a', 'c']) buckets.take(key);
  expect(buckets.size).toBe(2);
  expect(buckets.take('a')).toBe(1);
  expect(buckets.take('b')).toBe(0);
});
