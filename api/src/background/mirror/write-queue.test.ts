import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { createWriteQueue, type QueueEntry } from './write-queue.ts';

async function drained(
  add: (queue: ReturnType<typeof createWriteQueue<string>>, wrote: string[]) => void,
  known = new Set<string>(),
) {
  const wrote: string[] = [];
  const batches: string[][] = [];
  const stop = new AbortController();
  const queue = createWriteQueue<string>({
    name: 'test',
    log: pino({ level: 'silent' }),
    pollMs: 1_000,
    now: () => new Date(0),
    upToDate: async (entries) => {
      batches.push(entries.map(({ key }) => key));
      return new Set(entries.map(({ key }) => key).filter((key) => known.has(key)));
    },
  });
  add(queue, wrote);
  const run = queue.run(stop.signal);
  for (const end = Date.now() + 5_000; queue.oldest('T') && Date.now() < end; ) await wait(5);
  stop.abort();
  await run;
  return { wrote, batches };
}

const entry = (wrote: string[], key: string, text = key): QueueEntry<string> => ({
  key: `T/${key}`,
  object: text,
  write: async () => {
    wrote.push(text);
  },
});

test('a change is written before thousands of resynced objects, which are compared in few queries', async () => {
  const { wrote, batches } = await drained(
    (queue, list) => {
      for (let i = 0; i < 1_200; i++) queue.add(entry(list, `${i}`), false);
      queue.add(entry(list, 'live'), true);
    },
    new Set(Array.from({ length: 1_199 }, (_, i) => `T/${i}`)),
  );
  expect(wrote).toEqual(['live', '1199']);
  expect(batches.map(({ length }) => length)).toEqual([500, 500, 200]);
});

test('the newest object of a key is written, once', async () => {
  const { wrote } = await drained((queue, list) => {
    queue.add(entry(list, 'a', 'old'), false);
    queue.add(entry(list, 'a', 'new'), true);
    queue.add(entry(list, 'a', 'newer'), false);
  });
  expect(wrote).toEqual(['newer']);
});
