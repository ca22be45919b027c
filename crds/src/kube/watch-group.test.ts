import { KubeClient } from './client.ts';
import { CONFIG_MAPS, JOBS, LEASES, type Resource } from './objects.ts';
import { answer, type Handler, startTestServer, watchOf } from './test-server.ts';
import { WatchGroup } from './watch-group.ts';

const bookmark = (resourceVersion: string) => ({ type: 'BOOKMARK', object: { metadata: { resourceVersion } } });

/** Watches three kinds on a server that answers with `watch`. `asked` records each watch with its query. */
async function follow(watch: Handler, until: (asked: { plural: string; query: URLSearchParams }[]) => boolean) {
  const asked: { plural: string; query: URLSearchParams }[] = [];
  const stop = new AbortController();
  const server = await startTestServer((request, response) => {
    if (!request.query.has('watch'))
      return answer(200, { metadata: { resourceVersion: '7' }, items: [] })(request, response);
    asked.push({ plural: request.path.split('/').at(-1)!, query: request.query });
    watch(request, response);
    if (until(asked)) stop.abort();
  });
  const client = new KubeClient(server.access);
  const group = new WatchGroup();
  const backoff = { baseMs: 1, maxMs: 4 };
  const errors: unknown[] = [];
  const begin = performance.now();
  await Promise.all(
    [JOBS, CONFIG_MAPS, LEASES].map((resource) =>
      group
        .join({ client, resource: resource as Resource<object>, backoff, onError: (error) => errors.push(error) })
        .run(stop.signal),
    ),
  );
  await client.close();
  await server.stop();
  return { asked, errors, ms: performance.now() - begin };
}

const secondsOf = ({ query }: { query: URLSearchParams }): number => Number(query.get('timeoutSeconds'));

test('one watch of a process is short, the others are as long as the bookmark interval', async () => {
  const { asked } = await follow(watchOf([]), (all) => all.length === 3);
  const seconds = Object.fromEntries(asked.map((each) => [each.plural, secondsOf(each)]));
  expect(seconds['jobs']).toBeLessThanOrEqual(6);
  expect(seconds['configmaps']).toBeGreaterThanOrEqual(50);
  expect(seconds['leases']).toBeGreaterThanOrEqual(50);
});

test('when all watches are silent, all restart at their last version within 10 s', async () => {
  const { asked, errors, ms } = await follow(watchOf([bookmark('9')]), (all) => all.length === 6);
  expect(
    asked
      .slice(3)
      .map(({ plural }) => plural)
      .sort(),
  ).toEqual(['configmaps', 'jobs', 'leases']);
  expect(asked.slice(3).map(({ query }) => query.get('resourceVersion'))).toEqual(['9', '9', '9']);
  expect(ms).toBeLessThan(10_000);
  expect(errors).toEqual([]);
}, 20_000);
