import { ReactionTimes } from './reaction-times.ts';

test('a reaction lasts from the end of a Job to the next created one, and is measured once', () => {
  let now = 1_000;
  const times = new ReactionTimes(() => now);
  times.begin('test/a');
  now += 500;
  times.begin('test/b');
  now += 250;
  expect(times.oldest).toBe(0.75);
  expect(times.end('test/a')).toBe(0.75);
  expect(times.end('test/a')).toBeUndefined();
  expect(times.oldest).toBe(0.25);
  times.forget('test/b');
  expect([times.end('test/b'), times.oldest]).toEqual([undefined, 0]);
});
