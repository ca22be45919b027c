/** Watches: order, resuming, bookmarks, timeouts, selectors and compacted versions. */
import type { KubeHttp, WatchEvent } from '../../cluster/kube-http.ts';
import { aTask, collection } from '../builders.ts';
import { makeNamespace, type Server } from '../server.ts';

const NS = 'contract-watches';
const TASKS = collection('AnalysisTask', NS);

/** Returns the events of a watch until `enough` returns true, then stops it. */
async function take(kube: KubeHttp, path: string, enough: (events: WatchEvent[]) => boolean): Promise<WatchEvent[]> {
  const watch = kube.watch(path);
  const events: WatchEvent[] = [];
  for await (const event of watch.events) {
    events.push(event);
    if (enough(events)) break;
  }
  watch.stop();
  return events;
}

const names = (events: WatchEvent[]) => events.map(({ type, object }) => `${type} ${object.metadata.name}`);
const version = async (kube: KubeHttp) => (await kube.get(TASKS)).metadata.resourceVersion as string;

export function watchesContract(server: Server): void {
  describe('watches', () => {
    beforeAll(() => makeNamespace(server().kube, NS));

    test('events are in order, and DELETED has the last state with a newer resourceVersion', async () => {
      const { kube } = server();
      const from = await version(kube);
      await kube.create(TASKS, aTask('order'));
      await kube.merge(`${TASKS}/order`, { metadata: { labels: { a: '1' } } });
      const last = await kube.merge(`${TASKS}/order/status`, { status: { phase: 'Queued' } });
      await kube.ok('DELETE', `${TASKS}/order`);
      const events = await take(kube, `${TASKS}?watch=true&resourceVersion=${from}`, (all) => all.length === 4);
      expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']);
      const deleted = events[3]!.object;
      expect(deleted.status).toEqual({ phase: 'Queued' });
      expect(Number(deleted.metadata.resourceVersion)).toBeGreaterThan(Number(last.metadata.resourceVersion));
      expect(events[0]!.object).toMatchObject({ apiVersion: 'seqpanel.dev/v1alpha1', kind: 'AnalysisTask' });
    });

    test('a watch resumed at a resourceVersion delivers each later event once', async () => {
      const { kube } = server();
      const first = await kube.create(TASKS, aTask('resume-1'));
      await kube.create(TASKS, aTask('resume-2'));
      const path = `${TASKS}?watch=true&resourceVersion=${first.metadata.resourceVersion}`;
      const events = await take(kube, path, (all) => all.length === 1);
      expect(names(events)).toEqual(['ADDED resume-2']);
    });

    test('a watch without a resourceVersion begins with the existing objects', async () => {
      const { kube } = server();
      const events = await take(kube, `${TASKS}?watch=true&labelSelector=none%3Dsuch&timeoutSeconds=1`, () => false);
      expect(events).toEqual([]);
      const all = await take(kube, `${TASKS}?watch=true`, (seen) => seen.length === 2);
      expect(names(all).sort()).toEqual(['ADDED resume-1', 'ADDED resume-2']);
    });

    test('a write that changes nothing emits no event', async () => {
      const { kube } = server();
      const task = await kube.create(TASKS, aTask('silent'));
      await kube.merge(`${TASKS}/silent/status`, { status: { phase: 'Queued' } });
      await kube.merge(`${TASKS}/silent/status`, { status: { phase: 'Queued' } });
      await kube.merge(`${TASKS}/silent`, { spec: { abort: false } });
      await kube.merge(`${TASKS}/silent`, { metadata: { labels: { end: 'yes' } } });
      const path = `${TASKS}?watch=true&resourceVersion=${task.metadata.resourceVersion}`;
      const events = await take(kube, path, (all) => all.at(-1)?.object.metadata.labels?.end === 'yes');
      expect(names(events)).toEqual(['MODIFIED silent', 'MODIFIED silent']);
    });

    test('the server ends a watch after timeoutSeconds', async () => {
      const { kube } = server();
      const begin = Date.now();
      const path = `${TASKS}?watch=true&timeoutSeconds=2&resourceVersion=${await version(kube)}`;
      expect(await take(kube, path, () => false)).toEqual([]);
      const seconds = (Date.now() - begin) / 1000;
      expect(seconds).toBeGreaterThan(1.5);
      expect(seconds).toBeLessThan(5);
    });

    test('a bookmark before the end has the position of a watch that selects nothing', async () => {
      const { kube } = server();
      const selector = `labelSelector=none%3Dsuch&resourceVersion=${await version(kube)}`;
      const events = take(
        kube,
        `${TASKS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=6&${selector}`,
        () => false,
      );
      const other = await kube.create(TASKS, aTask('other'));
      // A server may also send one every minute. The last one is sent before the end.
      expect(new Set((await events).map(({ type }) => type))).toEqual(new Set(['BOOKMARK']));
      const { object } = (await events).at(-1) as WatchEvent;
      expect(object).toMatchObject({ apiVersion: 'seqpanel.dev/v1alpha1', kind: 'AnalysisTask' });
      expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(other.metadata.resourceVersion));
    });

    test('an object that starts to match a label selector is ADDED, one that no longer matches is DELETED', async () => {
      const { kube } = server();
      const from = await version(kube);
      await kube.create(TASKS, aTask('moving'));
      await kube.merge(`${TASKS}/moving`, { metadata: { labels: { seen: 'yes' } } });
      await kube.merge(`${TASKS}/moving/status`, { status: { phase: 'Queued' } });
      await kube.merge(`${TASKS}/moving`, { metadata: { labels: { seen: null } } });
      await kube.merge(`${TASKS}/moving/status`, { status: { phase: 'Running' } });
      await kube.merge(`${TASKS}/moving`, { metadata: { labels: { seen: 'yes' } } });
      const path = `${TASKS}?watch=true&labelSelector=seen%3Dyes&resourceVersion=${from}`;
      const events = await take(kube, path, (all) => all.length === 4);
      expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED']);
    });

    test('a field selector selects one object, and pods by node and phase', async () => {
      const { kube } = server();
      const from = await version(kube);
      await kube.create(TASKS, aTask('field-1'));
      await kube.create(TASKS, aTask('field-2'));
      const path = `${TASKS}?watch=true&fieldSelector=metadata.name%3Dfield-2&resourceVersion=${from}`;
      expect(names(await take(kube, path, (all) => all.length === 1))).toEqual(['ADDED field-2']);
      const pods = `/api/v1/namespaces/${NS}/pods`;
      expect((await kube.get(`${pods}?fieldSelector=spec.nodeName%3Dnode9`)).items).toEqual([]);
      expect((await kube.get(`${pods}?fieldSelector=status.phase%21%3DRunning`)).items).toEqual([]);
      const unknown = await kube.call('GET', `${pods}?fieldSelector=spec.nope%3D1`);
      expect([unknown.status, unknown.body.reason]).toEqual([400, 'BadRequest']);
      expect(unknown.body.message).toContain('field label not supported: spec.nope');
    });

    test('a watch from a compacted version gets an ERROR event 410 in the stream, or the answer 410', async () => {
      const { kube, compact } = server();
      await kube.create(TASKS, aTask('gone'));
      await compact();
      const watch = kube.watch(`${TASKS}?watch=true&resourceVersion=1&timeoutSeconds=5`);
      const response = await watch.answered;
      if (response.statusCode === 200) {
        const events: WatchEvent[] = [];
        for await (const event of watch.events) events.push(event);
        expect(events).toHaveLength(1);
        expect(events[0]).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
        expect(events[0]!.object.message).toMatch(/^too old resource version: 1 \(\d+\)$/);
      } else {
        expect(response.statusCode).toBe(410);
      }
      watch.stop();
    });
  });
}
