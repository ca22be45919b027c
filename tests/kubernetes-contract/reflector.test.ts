/** The reflector of crds on the local control plane; its own tests use scripted responses. */

import type { ConfigMap } from '@seqpanel/crds/kube/core-types.ts';
import { CONFIG_MAPS, type Stored } from '@seqpanel/crds/kube/objects.ts';
import { Reflector } from '@seqpanel/crds/kube/reflector.ts';
import { startTestCluster, type TestCluster } from '../../operator/src/testing/test-cluster.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const aConfigMap = (name: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { of: 'reflector' } },
  data: { n: '0' },
});

/** Follows ConfigMaps; `until` waits for a change. */
function follow() {
  const changes: string[] = [];
  let wake: () => void = () => {};
  const stop = new AbortController();
  const reflector = new Reflector<ConfigMap>({
    client: cluster.client,
    resource: CONFIG_MAPS,
    labelSelector: 'of=reflector',
    pageSize: 2,
    backoff: { baseMs: 10, maxMs: 100 },
    onChange: ({ type, key, object }: { type: string; key: string; object: Stored<ConfigMap> }) => {
      changes.push(`${type} ${key.replace('test/', '')} ${object.data?.['n']}`);
      wake();
    },
  });
  const run = reflector.run(stop.signal);
  return {
    reflector,
    changes,
    until: async (line: string): Promise<void> => {
      while (!changes.includes(line))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
    end: async () => {
      stop.abort();
      await run;
    },
  };
}

test('pages, changes and deletions reach the store and are reported once', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) await cluster.create(CONFIG_MAPS, aConfigMap(name));
  const { reflector, changes, until, end } = follow();
  await reflector.synced;
  expect(reflector.store.keys()).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `test/${name}`));
  await cluster.patch(CONFIG_MAPS, 'b', { data: { n: '1' } });
  await cluster.client.delete(CONFIG_MAPS, 'c', { signal: cluster.signal, propagation: 'Background' });
  await until('deleted c 0');
  expect(changes.slice(5)).toEqual(['modified b 1', 'deleted c 0']);
  await end();
});

test('an object that no longer matches the selector is reported as deleted', async () => {
  const { reflector, until, end } = follow();
  await reflector.synced;
  await cluster.patch(CONFIG_MAPS, 'd', { metadata: { labels: { of: null } } });
  await until('deleted d 0');
  expect(reflector.store.get('test/d')).toBeUndefined();
  await end();
});

test('after a control plane is killed and restarted, the watch resumes without gaps or repetitions', async () => {
  const { reflector, changes, until, end } = follow();
  await reflector.synced;
  const before = changes.length;
  await cluster.patch(CONFIG_MAPS, 'a', { data: { n: '2' } });
  await until('modified a 2');
  await cluster.restartPlane();
  await cluster.patch(CONFIG_MAPS, 'a', { data: { n: '3' } });
  await until('modified a 3');
  expect(changes.slice(before)).toEqual(['modified a 2', 'modified a 3']);
  expect(reflector.healthy).toBe(true);
  await end();
});
