/** Lists: pages, selectors and versions. */
import { aTask, collection } from '../builders.ts';
import { makeNamespace, type Server } from '../server.ts';

const NS = 'contract-lists';
const TASKS = collection('AnalysisTask', NS);
const PAGES = `/api/v1/namespaces/${NS}/configmaps`;
const named = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name);

export function listsContract(server: Server): void {
  describe('lists', () => {
    beforeAll(async () => {
      const { kube } = server();
      await makeNamespace(kube, NS);
      for (const [name, labels] of [
        ['a', { tier: 'gold', site: 'north' }],
        ['b', { tier: 'silver' }],
        ['c', {}],
      ] as const) {
        const task = aTask(name);
        await kube.create(TASKS, { ...task, metadata: { ...task.metadata, labels } });
      }
    });

    test('a list has its kind and its resourceVersion', async () => {
      const list = await server().kube.get(TASKS);
      expect(list).toMatchObject({ apiVersion: 'seqpanel.dev/v1alpha1', kind: 'AnalysisTaskList' });
      expect(named(list)).toEqual(['a', 'b', 'c']);
      const newest = Math.max(
        ...list.items.map((item: { metadata: { resourceVersion: string } }) => Number(item.metadata.resourceVersion)),
      );
      expect(Number(list.metadata.resourceVersion)).toBeGreaterThanOrEqual(newest);
    });

    test('resourceVersion 0 and a list over all namespaces are answered', async () => {
      const { kube } = server();
      expect(named(await kube.get(`${TASKS}?resourceVersion=0`))).toEqual(['a', 'b', 'c']);
      const all = await kube.get('/apis/seqpanel.dev/v1alpha1/analysistasks?labelSelector=tier');
      expect(named(all)).toEqual(expect.arrayContaining(['a', 'b']));
    });

    test.each([
      ['tier=gold', ['a']],
      ['tier==silver', ['b']],
      ['tier!=gold', ['b', 'c']],
      ['tier in (gold,silver)', ['a', 'b']],
      ['tier notin (gold)', ['b', 'c']],
      ['tier', ['a', 'b']],
      ['!tier', ['c']],
      ['tier,site=north', ['a']],
    ])('label selector %s', async (selector, expected) => {
      const list = await server().kube.get(`${TASKS}?labelSelector=${encodeURIComponent(selector)}`);
      expect(named(list)).toEqual(expected);
    });

    test('field selectors select by name', async () => {
      const { kube } = server();
      expect(named(await kube.get(`${TASKS}?fieldSelector=metadata.name%3Db`))).toEqual(['b']);
      expect(named(await kube.get(`${TASKS}?fieldSelector=metadata.name%21%3Db`))).toEqual(['a', 'c']);
    });

    test('an invalid selector is answered 400', async () => {
      const answer = await server().kube.call('GET', `${TASKS}?labelSelector=${encodeURIComponent('tier in gold')}`);
      expect([answer.status, answer.body.reason]).toEqual([400, 'BadRequest']);
    });

    test('all pages have one version: an object created between them is in none', async () => {
      const { kube } = server();
      for (const name of ['p1', 'p2', 'p3', 'p4', 'p5']) {
        await kube.create(PAGES, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { page: 'yes' } } });
      }
      const first = await kube.get(`${PAGES}?limit=2&labelSelector=page`);
      expect(named(first)).toEqual(['p1', 'p2']);
      expect(first.metadata.continue).toEqual(expect.any(String));
      await kube.create(PAGES, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'p31', labels: { page: 'yes' } },
      });
      await kube.ok('DELETE', `${PAGES}/p5`);
      const next = (token: string) =>
        kube.get(`${PAGES}?limit=2&labelSelector=page&continue=${encodeURIComponent(token)}`);
      const second = await next(first.metadata.continue);
      expect(named(second)).toEqual(['p3', 'p4']);
      expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
      const third = await next(second.metadata.continue);
      expect(named(third)).toEqual(['p5']);
      expect(third.metadata.continue ?? '').toBe('');
    });

    test('a list without a selector has the number of remaining objects', async () => {
      const first = await server().kube.get(`${TASKS}?limit=1`);
      expect(first.metadata.remainingItemCount).toBe(2);
    });

    test('a continue token of a compacted version is answered 410 Expired', async () => {
      const { kube, compact } = server();
      const first = await kube.get(`${TASKS}?limit=1`);
      await kube.merge(`${TASKS}/a`, { metadata: { annotations: { touched: 'yes' } } });
      await compact();
      const path = `${TASKS}?limit=1&continue=${encodeURIComponent(first.metadata.continue)}`;
      const answer = await kube.call('GET', path);
      expect([answer.status, answer.body.reason]).toEqual([410, 'Expired']);
      expect(answer.body.message).toContain('The provided continue parameter is too old');
    });

    test('an invalid continue token is answered 400', async () => {
      const answer = await server().kube.call('GET', `${TASKS}?limit=1&continue=nonsense`);
      expect([answer.status, answer.body.reason]).toEqual([400, 'BadRequest']);
    });
  });
}
