import { setTimeout as wait } from 'node:timers/promises';
import { createGather } from './gather.ts';

test('the first of many events of a key is passed at once and the newest at the end, separately for each key', async () => {
  const passed: string[] = [];
  const gather = createGather<string>(60, (event) => passed.push(event));
  for (let i = 0; i < 100; i++) gather.add('a', `a${i}`);
  gather.add('b', 'b0');
  expect(passed).toEqual(['a0', 'b0']);
  await wait(90);
  expect(passed).toEqual(['a0', 'b0', 'a99']);
  gather.add('a', 'late');
  expect(passed).toHaveLength(3);
  await wait(90);
  expect(passed.at(-1)).toBe('late');
  gather.stop();
});
