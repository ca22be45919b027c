import { KubeClient } from './client.ts';
import type { Job } from './core-types.ts';
import { JOBS, type Stored } from './objects.ts';
import { type Change, Reflector, type ReflectorOptions } from './reflector.ts';
import { answer, type Handler, startTestServer, watchOf } from './test-server.ts';

const job = (name: string, resourceVersion: string) => ({
  metadata: { namespace: 'test', name, uid: `uid-${name}`, resourceVersion, labels: { task: 't1' } },
});
const page = (resourceVersion: string, items: unknown[], next?: string) =>
  answer(200, { metadata: { resourceVersion, ...(next && { continue: next }) }, items });
const bookmark = (resourceVersion: string) => ({ type: 'BOOKMARK', object: { metadata: { resourceVersion } } });

/** Runs a reflector against scripted answers until `until` is true after a change or a request. */
async function play(
  handlers: Handler[],
  until: (state: { changes: string[]; requests: number }) => boolean,
  options: Partial<ReflectorOptions<Job, Stored<Job>>> = {},
) {
  const changes: string[] = [];
  const waits: number[] = [];
  const stop = new AbortController();
  const check = () => {
    if (until({ changes, requests: server.seen.length })) stop.abort();
  };
  const checked = handlers.map<Handler>((handler) => (request, response) => {
    handler(request, response);
    check();
  });
  const server = await startTestServer(...checked);
  const client = new KubeClient(server.access);
  const reflector = new Reflector<Job>({
    client,
    resource: JOBS,
    backoff: { baseMs: 1, maxMs: 4 },
    indexes: { task: ({ metadata }: Stored<Job>) => [metadata.labels?.['task'] ?? ''] },
    onChange: ({ type, key }: Change<unknown>) => {
      changes.push(`${type} ${key}`);
      check();
    },
    onError: (_, waitMs) => waits.push(waitMs),
    ...options,
  });
  await reflector.run(stop.signal);
  await client.close();
  await server.stop();
  return { changes, waits, reflector, seen: server.seen };
}

test('a paged list fills the store, and the watch resumes at its version', async () => {
  const { reflector, seen, changes } = await play(
    [
      page('10', [job('a', '3')], 'more'),
      page('10', [job('b', '4')]),
      watchOf([{ type: 'MODIFIED', object: job('a', '11') }]),
    ],
    ({ changes }) => changes.length === 3,
  );
  expect(changes).toEqual(['added test/a', 'added test/b', 'modified test/a']);
  expect(seen[1]?.query.get('continue')).toBe('more');
  expect(seen[2]?.query.get('resourceVersion')).toBe('10');
  expect(seen[2]?.query.get('allowWatchBookmarks')).toBe('true');
  expect(reflector.store.byIndex('task', 't1')).toHaveLength(2);
});

test('a dropped watch resumes at the last version seen, bookmarks included, without a new list', async () => {
  const { seen } = await play(
    [page('10', []), watchOf([bookmark('42')], 'drop'), watchOf([])],
    ({ requests }) => requests === 3,
  );
  expect(seen.map(({ query }) => query.get('resourceVersion'))).toEqual([null, '10', '42']);
});

test.each([
  ['as an answer', answer(410, { reason: 'Expired' })],
  ['inside the stream', watchOf([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }], 'end')],
])('a too old version, reported %s, lists again and reports objects deleted meanwhile', async (_, tooOld) => {
  const { changes } = await play(
    [page('10', [job('a', '3'), job('b', '4')]), tooOld, page('20', [job('b', '15')]), watchOf([])],
    ({ requests }) => requests === 4,
  );
  expect(changes).toEqual(['added test/a', 'added test/b', 'modified test/b', 'deleted test/a']);
});

test('retries after server errors and never stops', async () => {
  const { waits, changes } = await play(
    [answer(500, {}), answer(503, {}), page('1', [job('a', '1')])],
    ({ changes }) => changes.length === 1,
  );
  expect(waits).toHaveLength(2);
  expect(changes).toEqual(['added test/a']);
});

test('waits as long as a 429 asks', async () => {
  const { waits } = await play(
    [answer(429, {}, { 'retry-after': '0.02' }), page('1', []), watchOf([])],
    ({ requests }) => requests === 3,
  );
  expect(waits[0]).toBeGreaterThanOrEqual(20);
});

test('a watch that ends at once without events counts as an error, which prevents a tight loop', async () => {
  const { waits } = await play([page('1', []), watchOf([], 'end'), watchOf([])], ({ requests }) => requests === 3);
  expect(waits).toHaveLength(1);
});

test('the guard ends a half-open connection, and the watch restarts', async () => {
  const { seen } = await play([page('7', []), watchOf([]), watchOf([])], ({ requests }) => requests === 3, {
    watchSeconds: [1, 1],
    guardMs: 20,
  });
  expect(seen[2]?.query.get('resourceVersion')).toBe('7');
});

/** Returns a handler that records when it is called. */
const noting =
  (asked: number[], handler: Handler): Handler =>
  (request, response) => {
    asked.push(performance.now());
    handler(request, response);
  };

test('by default, a silent watch restarts at its last version within 10 s', async () => {
  const asked: number[] = [];
  const { seen, waits } = await play(
    [page('7', []), noting(asked, watchOf([bookmark('9')])), noting(asked, watchOf([]))],
    ({ requests }) => requests === 3,
  );
  expect(seen[2]?.query.get('resourceVersion')).toBe('9');
  expect(asked[1]! - asked[0]!).toBeLessThan(10_000);
  expect(waits).toEqual([]);
}, 20_000);

test('a server that starts watches slowly gets more time with each attempt', async () => {
  const asked: number[] = [];
  const silent = noting(asked, watchOf([]));
  await play([page('7', []), silent, silent, silent, silent], ({ requests }) => requests === 5, {
    watchSeconds: [1, 1],
    guardMs: 300,
  });
  // 1.3 + 1.6 + 2.2 s. Without more time it would be 3.9 s.
  expect(asked[3]! - asked[0]!).toBeGreaterThan(4_800);
}, 20_000);

test('a resync reports unchanged objects too, so that lost reactions are repeated', async () => {
  const { changes } = await play(
    [page('1', [job('a', '1')]), watchOf([bookmark('2')], 'end'), page('3', [job('a', '1')])],
    ({ changes }) => changes.length === 2,
    { resyncMs: 1 },
  );
  expect(changes).toEqual(['added test/a', 'synced test/a']);
});

test('a handler that throws does not stop the reflector', async () => {
  let calls = 0;
  const { reflector } = await play(
    [page('1', [job('a', '1'), job('b', '1')]), watchOf([])],
    ({ requests }) => requests === 2,
    {
      onChange: () => {
        calls++;
        throw new Error('handler');
      },
    },
  );
  expect(calls).toBe(2);
  expect(reflector.store.size).toBe(2);
});

test('the signal ends a silent watch at once', async () => {
  const stop = new AbortController();
  const server = await startTestServer(page('1', []), watchOf([]));
  const client = new KubeClient(server.access);
  const reflector = new Reflector<Job>({ client, resource: JOBS });
  const run = reflector.run(stop.signal);
  await reflector.synced;
  stop.abort();
  await run;
  expect(reflector.store.size).toBe(0);
  await client.close();
  await server.stop();
});
