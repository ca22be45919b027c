import { setImmediate as tick } from 'node:timers/promises';
import { WorkQueue } from './queue.ts';

/** A queue whose work waits until the test releases it, in the order of its start. */
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

test('a key added again while it waits is processed once', async () => {
  const { queue, begun, letGo, end } = aQueue(1);
  for (const key of ['a', 'b', 'b', 'b']) queue.add(key);
  await letGo();
  await letGo();
  expect(begun).toEqual(['a', 'b']);
  await end();
});

test('a key is never processed twice at the same time, and is processed again when it was added meanwhile', async () => {
  const { queue, begun, letGo, end } = aQueue(2);
  queue.add('a');
  queue.add('a');
  expect(begun).toEqual(['a']);
  await letGo();
  expect(begun).toEqual(['a', 'a']);
  await end();
});

test('no more keys are processed at the same time than the concurrency allows', async () => {
  const { queue, begun, letGo, end } = aQueue(2);
  for (const key of ['a', 'b', 'c']) queue.add(key);
  expect(begun).toEqual(['a', 'b']);
  expect(queue.depth).toBe(3);
  await letGo();
  expect(begun).toEqual(['a', 'b', 'c']);
  await end();
});

test('a failure is reported and retried after a delay', async () => {
  const { queue, begun, errors, letGo, end, until } = aQueue();
  queue.add('a');
  await letGo(new Error('no'));
  await until(() => begun.length === 2);
  expect(errors).toEqual(['a']);
  await end();
});

test('of two delays the shorter counts, and adding immediately cancels the delayed one', async () => {
  const { queue, begun, end, until } = aQueue();
  queue.addAfter('a', 60_000);
  queue.addAfter('a', 1);
  queue.addAfter('b', 60_000);
  queue.add('b');
  await until(() => begun.length === 2);
  expect(begun.sort()).toEqual(['a', 'b']);
  await end();
});

test('keys with priority later go after all others and use only their share of the slots', async () => {
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

test('a waiting key with priority later moves ahead when it is added with priority now', async () => {
  const { queue, begun, letGo, end } = aQueue(1, 1);
  for (const key of ['a', 'b', 'c']) queue.add(key, 'later');
  queue.add('c');
  queue.add('c', 'later');
  await letGo();
  expect(begun).toEqual(['a', 'c']);
  await end();
});

test('priority soon goes before later, and both after now', async () => {
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

test('ten thousand rounds without I/O let timers run in between', async () => {
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
