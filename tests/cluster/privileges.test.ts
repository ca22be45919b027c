/**
 * Changes of an administrator that the api applies to a cluster, on a real control plane with the rights of the chart.
 * Tests of tasks and faults use the other rights. privileges-used.ts compares all uses with the Roles.
 */
import { rmSync } from 'node:fs';
import { API } from '../../scripts/demo/rest-client.ts';
import { Laboratory, makeData } from '../faults/cluster/laboratory.ts';
import { ClusterProduct } from '../faults/cluster/product.ts';
import { collection } from '../kubernetes-contract/builders.ts';
import { makeNamespace, readDefinitions } from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { startCommandKubelet } from './command-kubelet.ts';
import { type ControlPlane, startWith } from './control-plane.ts';
import { aHandPool } from './hand-played.ts';
import { eventually, type KubeObject } from './kube-http.ts';
import { giveRights } from './privileges.ts';

const NS = 'seqpanel';
const LIMIT_MS = 300_000;

type Listed = { results: { id: string; name: string; status?: string }[] };

describeOnCluster('changes by an administrator on a real control plane', (binaries) => {
  const ends: (() => Promise<unknown> | unknown)[] = [];
  let plane: ControlPlane;
  let product: ClusterProduct;
  let lab: Laboratory;

  beforeAll(async () => {
    const { data, folder } = await makeData();
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    plane = await startWith(binaries, readDefinitions());
    ends.push(() => plane.stop());
    product = await ClusterProduct.start({ plane, namespace: NS });
    ends.push(() => product.dispose());
    const kubelet = await startCommandKubelet(plane.kube, 'node1', undefined, () => product.place);
    ends.push(() => kubelet.stop());
    lab = await Laboratory.open(product, data);
  }, LIMIT_MS);
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  }, 60_000);

  const listed = async (path: string) => (await lab.client.get<Listed>(`${API}/admin/${path}`)).results;
  const stored = (kind: string, name: string) => plane.kube.get(`${collection(kind, NS)}/${name}`);
  const gone = (kind: string, name: string) =>
    eventually(
      `${kind} ${name} gone`,
      async () => (await plane.kube.call('GET', `${collection(kind, NS)}/${name}`)).status === 404,
    );

  test(
    'new names of genome and panel type are written to their resources',
    async () => {
      const [genome] = await listed('genomes');
      await lab.client.put(`${API}/admin/genomes/${genome!.id}`, { display_name: 'Renamed' });
      const form = new FormData();
      form.set('display_name', 'Renamed');
      const [panel] = await listed('panel_types');
      const answer = await lab.client.raw(`${API}/admin/panel_types/${panel!.id}`, { method: 'PUT', body: form });
      expect(answer.status).toBe(200);
      for (const kind of ['Genome', 'PanelType'])
        await eventually(`${kind} renamed`, async () => {
          const { items } = await plane.kube.get(collection(kind, NS));
          return items[0].spec.displayName === 'Renamed';
        });
    },
    LIMIT_MS,
  );

  test(
    'a Pipeline is disabled, enabled, deleted and installed, also when another client has just applied it',
    async () => {
      const [{ id, name }] = (await listed('pipelines')) as [Listed['results'][number]];
      const path = `${API}/admin/pipelines`;
      const state = (wanted: string) =>
        eventually(`Pipeline ${wanted}`, async () => (await stored('Pipeline', name)).spec.state === wanted);
      await lab.client.post(`${path}/${id}/deactivate`);
      await state('Disabled');
      await lab.client.post(`${path}/${id}/activate`);
      await state('Active');
      const { apiVersion, kind, spec } = await stored('Pipeline', name);
      await lab.client.post(`${path}/${id}/delete`);
      await gone('Pipeline', name);
      await lab.client.post(`${path}/install`, { name });
      await eventually('Pipeline installed', () => stored('Pipeline', name));

      const again = (await listed('pipelines')).find((one) => one.name === name)!;
      await lab.client.post(`${path}/${again.id}/delete`);
      await gone('Pipeline', name);
      product.proxy.silence();
      const theirs = { apiVersion, kind, metadata: { name }, spec: { ...spec, state: 'Disabled' } };
      await plane.kube.create(collection('Pipeline', NS), theirs);
      await lab.client.post(`${path}/install`, { name });
      // The last writer at the API server owns it, so the row follows.
      const followed = await eventually('the row follows the resource', async () =>
        (await listed('pipelines')).find((one) => one.name === name && one.status === 'disabled'),
      );
      await lab.client.post(`${path}/${followed.id}/activate`);
      await state('Active');
    },
    LIMIT_MS,
  );

  test(
    'a task is aborted by a call, and by deleting its resource',
    async () => {
      // Their watches may not deliver further events.
      for (const part of ['api', 'operator'] as const) {
        await product.stop(part);
        await product.run(part);
      }
      lab.tell('hold', 'reads');
      // The renamed panel type is not ready until the operator has checked it.
      const task = await eventually('a launch is taken', () => lab.launch('aborted').catch(() => undefined));
      await lab.started(task, 'reads', 2);
      await lab.abort(task);
      expect(await lab.ended(task)).toBe('aborted');
      const other = await lab.launch('deleted');
      await lab.started(other, 'reads', 2);
      await plane.kube.ok('DELETE', `${collection('AnalysisTask', NS)}/${other}`, { propagationPolicy: 'Background' });
      expect(await lab.ended(other)).toBe('aborted');
    },
    LIMIT_MS,
  );

  test(
    'a WorkerPool is created and deleted',
    async () => {
      const names = async () => (await listed('worker_pools')).map(({ name }) => name);
      await plane.kube.create(collection('WorkerPool', NS), aHandPool('steady'));
      await eventually('the pool told', async () => (await names()).includes('steady'));
      await plane.kube.ok('DELETE', `${collection('WorkerPool', NS)}/steady`);
      await eventually('the pool forgotten', async () => !(await names()).includes('steady'));
    },
    LIMIT_MS,
  );

  test(
    'without the right to set finalizers the operator cannot create a Job where the API server requires that right',
    async () => {
      const namespace = await makeNamespace(plane.kube, 'holding');
      await giveRights(plane, namespace);
      const owners = ['AnalysisTask', 'PanelType', 'Genome'];
      const user = { 'Impersonate-User': `system:serviceaccount:${namespace}:seqpanel-operator` };
      const answers = () =>
        Promise.all(
          owners.map(async (kind) => {
            const owner = {
              apiVersion: 'seqpanel.dev/v1alpha1',
              kind,
              name: 'any',
              uid: 'any',
              blockOwnerDeletion: true,
            };
            const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'step', image: 'none' }] } };
            const job = { metadata: { name: 'held', ownerReferences: [owner] }, spec: { template } };
            const path = `/apis/batch/v1/namespaces/${namespace}/jobs?dryRun=All`;
            return (await plane.kube.call('POST', path, job, undefined, user)).status;
          }),
        );
      expect(await answers()).toEqual([201, 201, 201]);
      const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/seqpanel-operator`;
      const rules = (await plane.kube.get(path)).rules as KubeObject[];
      const others = rules.filter(({ resources }) => !resources.some((one: string) => one.endsWith('/finalizers')));
      expect(others).toHaveLength(rules.length - 1);
      await plane.kube.merge(path, { rules: others });
      await eventually('all are refused', async () => (await answers()).every((status) => status === 403));
    },
    LIMIT_MS,
  );
});
