/** Deletion: finalizers, owners, propagation, grace. */
import { eventually, type KubeHttp, type KubeObject } from '../../cluster/kube-http.ts';
import { aTask, collection } from '../builders.ts';
import { makeNamespace, type Server } from '../server.ts';

const NS = 'contract-deletion';
const TASKS = collection('AnalysisTask', NS);
const CONFIG_MAPS = `/api/v1/namespaces/${NS}/configmaps`;

const ownedBy = (...owners: KubeObject[]) =>
  owners.map(({ apiVersion, kind, metadata }) => ({
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid,
    blockOwnerDeletion: true,
  }));
const owned = (name: string, owners: KubeObject[], more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ownerReferences: ownedBy(...owners), ...more },
});
const gone = (kube: KubeHttp, path: string) =>
  eventually(`${path} gone`, async () => (await kube.call('GET', path)).status === 404);

export function deletionContract(server: Server): void {
  describe('deletion', () => {
    beforeAll(() => makeNamespace(server().kube, NS));

    test('an object with a finalizer is only marked until the finalizer is removed', async () => {
      const { kube } = server();
      const task = aTask('finalized');
      await kube.create(TASKS, { ...task, metadata: { ...task.metadata, finalizers: ['seqpanel.dev/work'] } });
      const marked = await kube.ok('DELETE', `${TASKS}/finalized`);
      expect(marked.metadata).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 });
      expect(marked.metadata.deletionTimestamp).toEqual(expect.any(String));
      const again = await kube.ok('DELETE', `${TASKS}/finalized`);
      expect(again.metadata.deletionTimestamp).toBe(marked.metadata.deletionTimestamp);
      const added = await kube.call(
        'PATCH',
        `${TASKS}/finalized`,
        { metadata: { finalizers: ['seqpanel.dev/work', 'seqpanel.dev/new'] } },
        'application/merge-patch+json',
      );
      expect(added.status).toBe(422);
      expect(added.body.message).toContain('no new finalizers can be added if the object is being deleted');
      await kube.merge(`${TASKS}/finalized`, { metadata: { finalizers: [] } });
      expect((await kube.call('GET', `${TASKS}/finalized`)).status).toBe(404);
    });

    test('Background: the owner is deleted immediately, its dependents later', async () => {
      const { kube } = server();
      const owner = await kube.create(TASKS, aTask('background'));
      await kube.create(CONFIG_MAPS, owned('background-1', [owner]));
      await kube.ok('DELETE', `${TASKS}/background`, { propagationPolicy: 'Background' });
      expect((await kube.call('GET', `${TASKS}/background`)).status).toBe(404);
      await gone(kube, `${CONFIG_MAPS}/background-1`);
    });

    test('deleting a custom resource without a policy deletes its dependents', async () => {
      const { kube } = server();
      const owner = await kube.create(TASKS, aTask('default'));
      await kube.create(CONFIG_MAPS, owned('default-1', [owner]));
      await kube.ok('DELETE', `${TASKS}/default`);
      await gone(kube, `${CONFIG_MAPS}/default-1`);
    });

    test('Foreground: the owner waits for dependents that block its deletion', async () => {
      const { kube } = server();
      const owner = await kube.create(TASKS, aTask('foreground'));
      await kube.create(CONFIG_MAPS, owned('foreground-1', [owner], { finalizers: ['seqpanel.dev/work'] }));
      const marked = await kube.ok('DELETE', `${TASKS}/foreground`, { propagationPolicy: 'Foreground' });
      expect(marked.metadata.finalizers).toEqual(['foregroundDeletion']);
      await eventually(
        'dependant marked',
        async () => (await kube.get(`${CONFIG_MAPS}/foreground-1`)).metadata.deletionTimestamp,
      );
      expect((await kube.call('GET', `${TASKS}/foreground`)).status).toBe(200);
      await kube.merge(`${CONFIG_MAPS}/foreground-1`, { metadata: { finalizers: null } });
      await gone(kube, `${TASKS}/foreground`);
    });

    test('Orphan: dependents are kept without the reference', async () => {
      const { kube } = server();
      const owner = await kube.create(TASKS, aTask('orphan'));
      await kube.create(CONFIG_MAPS, owned('orphan-1', [owner]));
      await kube.ok('DELETE', `${TASKS}/orphan`, { propagationPolicy: 'Orphan' });
      await gone(kube, `${TASKS}/orphan`);
      const { metadata } = await kube.get(`${CONFIG_MAPS}/orphan-1`);
      expect(metadata.ownerReferences).toBeUndefined();
      expect(metadata.deletionTimestamp).toBeUndefined();
    });

    test('a dependent of two owners is kept until both are deleted', async () => {
      const { kube } = server();
      const one = await kube.create(TASKS, aTask('owner-1'));
      const two = await kube.create(TASKS, aTask('owner-2'));
      await kube.create(CONFIG_MAPS, owned('shared', [one, two]));
      await kube.ok('DELETE', `${TASKS}/owner-1`);
      await eventually(
        'one reference left',
        async () => (await kube.get(`${CONFIG_MAPS}/shared`)).metadata.ownerReferences.length === 1,
      );
      await kube.ok('DELETE', `${TASKS}/owner-2`);
      await gone(kube, `${CONFIG_MAPS}/shared`);
    });

    test('an object with a missing owner is collected', async () => {
      const { kube } = server();
      const owner = aTask('ghost');
      owner.metadata.uid = '00000000-0000-4000-8000-00000000dead';
      await kube.create(CONFIG_MAPS, owned('haunted', [owner]));
      await gone(kube, `${CONFIG_MAPS}/haunted`);
    });

    test('two controllers of one object are rejected', async () => {
      const { kube } = server();
      const one = await kube.create(TASKS, aTask('boss-1'));
      const two = await kube.create(TASKS, aTask('boss-2'));
      const references = ownedBy(one, two).map((reference) => ({ ...reference, controller: true }));
      const answer = await kube.call('POST', CONFIG_MAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'torn', ownerReferences: references },
      });
      expect(answer.status).toBe(422);
      expect(answer.body.message).toContain('Only one reference can have Controller set to true');
    });
  });
}
