import { setImmediate as tick } from 'node:timers/promises';
import { WorkQueue } from './queue.ts';

/** A queue whose work waits until it is let go, in the order it began. */
function aQueue(concurrency = 2, laterConcurrency = concurrency) {
  const begun: string[] = [];
  const gates: ((error?: Error) => void)[] = [];
  const errors: string[] = [];
  const stop = new AbortController();
  const queue = new WorkQueue({
    concurrency,
    laterConcurrency,
    backoff: { baseMs: 1, maxMs: 1 },
    onError: (key) => errors.push(key),
    work: (key) => {
      begun.push(key);
      return new Promise((resolve, reject) => gates.push((error) => (error ? reject(error) : resolve({}))));
    },
  });
  const run = queue.run(stop.signal);
  const letGo = async (error?: Error): Promise<void> => {
    gates.shift()?.(error);
    await tick();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    for (const gate of gates) gate();
    await run;
  };
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await tick();
  };
  return { queue, begun, errors, letGo, end, until };
}

test('a key that is added again while it waits is done once', async () => {
  const { queue, begun, letGo, end } = aQueue(1);
  for (const key of ['a', 'b', 'b', 'b']) queue.add(key);
  await letGo();
  await letGo();
  expect(begun).toEqual(['a', 'b']);
  await end();
});

test('a key is never worked on twice at a time, and is done again when it was added meanwhile', async () => {
  const { queue, begun, letGo, end } = aQueue(2);
  queue.add('a');
  queue.add('a');
  expect(begun).toEqual(['a']);
  await letGo();
  expect(begun).toEqual(['a', 'a']);
  await end();
});

test('no more keys than the concurrency are worked on at a time', async () => {
  const { queue, begun, letGo, end } = aQueue(2);
  for (const key of ['a', 'b', 'c']) queue.add(key);
  expect(begun).toEqual(['a', 'b']);
  expect(queue.depth).toBe(3);
  await letGo();
  expect(begun).toEqual(['a', 'b', 'c']);
  await end();
});

test('a failure is told and repeated after a wait', async () => {
  const { queue, begun, errors, letGo, end, until } = aQueue();
  queue.add('a');
  await letGo(new Error('no'));
  await until(() => begun.length === 2);
  expect(errors).toEqual(['a']);
  await end();
});

test('of two delays the shorter counts, and adding at once takes the delayed one away', async () => {
  const { queue, begun, end, until } = aQueue();
  queue.addAfter('a', 60_000);
  queue.addAfter('a', 1);
  queue.addAfter('b', 60_000);
  queue.add('b');
  await until(() => begun.length === 2);
  expect(begun.sort()).toEqual(['a', 'b']);
  await end();
});

test('what is added for later lets all other go before it and takes no more than its part of the places', async () => {
  const { queue, begun, letGo, end } = aQueue(2, 1);
  for (const key of ['l1', 'l2', 'l3']) queue.add(key, 'later');
  queue.add('n1');
  queue.add('n2');
  expect(begun).toEqual(['l1', 'n1']);
  await letGo();
  await letGo();
  expect(begun).toEqual(['l1', 'n1', 'n2', 'l2']);
  await end();
});

test('a key that waits for later goes first when it is added to go at once, and stays so', async () => {
  const { queue, begun, letGo, end } = aQueue(1, 1);
  for (const key of ['a', 'b', 'c']) queue.add(key, 'later');
  queue.add('c');
  queue.add('c', 'later');
  await letGo();
  expect(begun).toEqual(['a', 'c']);
  await end();
});

test('what is to be soon goes before what is to be later, and both after what is to be now', async () => {
  const { queue, begun, letGo, end } = aQueue(1, 1);
  queue.add('first', 'later');
  queue.add('l', 'later');
  queue.add('s', 'later');
  queue.add('s', 'soon');
  queue.add('s', 'later');
  queue.add('n');
  for (let i = 0; i < 3; i++) await letGo();
  expect(begun).toEqual(['first', 'n', 's', 'l']);
  await end();
});

test('ten thousand rounds without I/O let timers go on meanwhile', async () => {
  const stop = new AbortController();
  let done = 0;
  const queue = new WorkQueue({ concurrency: 4, work: async () => ({ ...(++done && {}) }) });
  for (let i = 0; i < 10_000; i++) queue.add(`k${i}`, 'later');
  const run = queue.run(stop.signal);
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(done).toBeLessThan(10_000);
  while (done < 10_000) await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await run;
});
