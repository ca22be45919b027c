import { expect, test } from '@jest/globals';
import { createBoundedWork } from './bounded-work.ts';

test('runs a limited number at once, queues a limited number, rejects the rest, and recovers', async () => {
  const bounded = createBoundedWork({ running: 2, waiting: 1 }, () => new Error('overload'));
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const work = async (): Promise<string> => {
    most = Math.max(most, ++running);
    await new Promise<void>((end) => ends.push(end));
    running--;
    return 'done';
  };
  const all = [1, 2, 3].map(() => bounded(work));
  await expect(bounded(work)).rejects.toThrow('overload');
  expect(ends).toHaveLength(2);
  while (running > 0) {
    ends.shift()?.();
    await new Promise((turn) => setImmediate(turn));
  }
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done']);
  expect(most).toBe(2);
  await expect(bounded(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await bounded(async () => 1)).toBe(1);
});
