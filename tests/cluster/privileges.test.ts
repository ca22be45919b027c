/**
 * Operator and api act under the rights that the chart gives them and do everything they can do, while the API server
 * keeps an audit log: what they used must be what they were given, no more and no less.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API } from '../../operator/src/local/demo/rest-client.ts';
import { Laboratory, makeData } from '../faults/cluster/laboratory.ts';
import { ClusterProduct } from '../faults/cluster/product.ts';
import { collection } from '../kubernetes-contract/builders.ts';
import { makeNamespace, readDefinitions } from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { type CommandKubelet, startCommandKubelet } from './command-kubelet.ts';
import { type ControlPlane, startWith } from './control-plane.ts';
import { eventually, type KubeObject } from './kube-http.ts';
import { applyRights, chartRights, difference, grantedTo, usedBy } from './privileges.ts';
import { WorkersCloud } from './workers-cloud.ts';
import { WORKER_TARGETS } from './workers-definitions.ts';
import { TestPool } from './workers-pool.ts';

const NS = 'seqpanel';
const LONG_MS = 900_000;
const MONTH_MS = 31 * 24 * 3600 * 1000;

const PARTS = ['operator', 'api'] as const;
const account = (part: (typeof PARTS)[number]) => `seqpanel-${part}`;
const userOf = (part: (typeof PARTS)[number]) => `system:serviceaccount:${NS}:${account(part)}`;

/** Asked by the API server's admission and not by a call of ours, so that no audit log tells of it. */
const ASKED_BY_ADMISSION = new Set(
  ['analysistasks', 'paneltypes', 'genomes'].map((kind) => `update seqpanel.dev/${kind}/finalizers`),
);

describeOnCluster('rights on a real control plane', (binaries) => {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-rights-'));
  const auditLog = join(folder, 'audit.log');
  const ends: (() => Promise<unknown> | unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  let rights: KubeObject[];
  let plane: ControlPlane;

  beforeAll(async () => {
    const target = { apiGroup: 'cluster.x-k8s.io', resource: 'machinedeployments' };
    rights = await chartRights(binaries.helm, NS, [target]);
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${NS}`, 'system:authenticated'];
    plane = await startWith(binaries, [...readDefinitions(), ...WORKER_TARGETS], {
      auditLog,
      extraTokens: PARTS.map((part) => ({ token: `token-of-${part}`, user: userOf(part), groups })),
      // As on OpenShift: whoever blocks the deletion of an owner must be allowed to hold it.
      apiserverArgs: ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement'],
      controllerManagerArgs: ['--node-monitor-grace-period=10s'],
    });
    ends.push(() => plane.stop());
    await makeNamespace(plane.kube, NS);
    await applyRights(plane.kube, NS, rights);
    await useEverything();
  }, LONG_MS);

  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  }, 60_000);

  /** Everything that the two do on a cluster, once. */
  async function useEverything(): Promise<void> {
    const { data, folder: dataFolder } = await makeData();
    ends.push(() => rmSync(dataFolder, { recursive: true, force: true }));
    const tokens = { operator: 'token-of-operator', api: 'token-of-api' };
    const product = await ClusterProduct.start({ plane, namespace: NS, tokens, inPlace: true });
    ends.push(() => product.dispose());
    await product.stop('operator');
    await product.run('operator', { SEQPANEL_LEADER_ELECTION: 'on' });
    await scaleWorkers();

    const kubelets = new Map<string, CommandKubelet>();
    for (const name of ['node1', 'node2']) {
      const kubelet = await startCommandKubelet(plane.kube, name, undefined, () => product.place);
      kubelets.set(name, kubelet);
      ends.push(() => kubelet.stop());
    }
    const lab = await Laboratory.open(product, data);
    const first = await lab.launch('first');
    expect(await lab.ended(first, 300)).toBe('completed');
    lab.record(first);
    await loseThings(product, lab, kubelets);
    await forgetOldTask(product, first);
    await changeConfiguration(product, lab);
  }

  /** A node is made for work, is idle and goes; another never registers. */
  async function scaleWorkers(): Promise<void> {
    await plane.startKwok(0);
    const cloud = new WorkersCloud(plane.kube, NS);
    const pools = ['short', 'mute'].map((name) => new TestPool(plane.kube, NS, { name, kind: 'MachineDeployment' }));
    const [short, mute] = pools as [TestPool, TestPool];
    cloud.broken.add('mute');
    for (const pool of pools) await pool.createTarget();
    await short.create();
    await mute.create({ registerTimeoutSeconds: 2, min: 1 });
    await short.launch('short-1', 1, 60, '1s');
    await short.until('taken away', async () => cloud.removals.length > 0 && (await short.nodes()).length === 0);
    await mute.until('replaced', ({ status }) => status?.replacements?.count >= 1);
    for (const pool of pools) await plane.kube.ok('DELETE', pool.path);
    await cloud.stop();
  }

  /** Genome, panel type and Pipelines are changed; one is installed that somebody applied a moment ago. */
  async function changeConfiguration(product: ClusterProduct, lab: Laboratory): Promise<void> {
    type Listed = { results: { id: string; name: string; display_name: string }[] };
    const first = async (path: string) => {
      const { results } = await lab.client.get<Listed>(`${API}/admin/${path}`);
      return `${API}/admin/${path}/${results[0]!.id}`;
    };
    await lab.client.put(await first('genomes'), { display_name: 'Renamed' });
    const form = new FormData();
    form.set('display_name', 'Renamed');
    const renamed = await lab.client.raw(await first('panel_types'), { method: 'PUT', body: form });
    expect(renamed.status).toBe(200);
    const pipelines = `${API}/admin/pipelines`;
    const [{ id, name }] = (await lab.client.get<Listed>(pipelines)).results as [Listed['results'][number]];
    await lab.client.post(`${pipelines}/${id}/deactivate`);
    await lab.client.post(`${pipelines}/${id}/activate`);
    await lab.client.post(`${pipelines}/${id}/delete`);
    const path = `${collection('Pipeline', NS)}/${name}`;
    await eventually('the Pipeline gone', async () => (await plane.kube.call('GET', path)).status === 404);
    await lab.client.post(`${pipelines}/install`, { name });
    const manifest = await eventually('the Pipeline there', () => plane.kube.get(path));
    const again = (await lab.client.get<Listed>(pipelines)).results.find((one) => one.name === name)!;
    await lab.client.post(`${pipelines}/${again.id}/delete`);
    await eventually('the Pipeline gone', async () => (await plane.kube.call('GET', path)).status === 404);
    product.proxy.silence();
    const { apiVersion, kind, spec } = manifest;
    await plane.kube.create(collection('Pipeline', NS), {
      ...{ apiVersion, kind, metadata: { name } },
      spec: { ...spec, state: 'Disabled' },
    });
    await lab.client.post(`${pipelines}/install`, { name });
    await eventually(
      'the Pipeline installed over it',
      async () => (await plane.kube.get(path)).spec.state === 'Active',
    );
    // Their watches bring nothing any more.
    await product.stop('api');
    await product.run('api');
    await product.stop('operator');
    await product.run('operator', { SEQPANEL_LEADER_ELECTION: 'on' });
  }

  /** A step fails, a task is aborted, a Job, a pod's node and the operator are lost in mid-task. */
  async function loseThings(
    product: ClusterProduct,
    lab: Laboratory,
    kubelets: Map<string, CommandKubelet>,
  ): Promise<void> {
    lab.tell('fail', 'cohort');
    expect(await lab.ended(await lab.launch('fails'), 300)).toBe('failed');
    lab.untell('fail', 'cohort');

    lab.tell('hold', 'reads');
    const aborted = await lab.launch('aborted');
    await lab.started(aborted, 'reads', 2, 120);
    await lab.abort(aborted);
    expect(await lab.ended(aborted, 300)).toBe('aborted');

    const lost = await lab.launch('lost');
    await lab.started(lost, 'reads', 2, 120);
    await product.stop('operator');
    const jobs = `/apis/batch/v1/namespaces/${NS}/jobs`;
    await plane.kube.ok('DELETE', `${jobs}/${lost}-reads-1`, { propagationPolicy: 'Background' });
    await product.run('operator', { SEQPANEL_LEADER_ELECTION: 'on' });
    await lab.started(lost, 'reads', 4, 120);

    const selector = `labelSelector=seqpanel.dev%2Ftask%3D${lost}`;
    const pods: KubeObject[] = (await plane.kube.get(`/api/v1/namespaces/${NS}/pods?${selector}`)).items;
    const pod = pods.find(({ status, metadata }) => status.phase === 'Running' && !metadata.deletionTimestamp)!;
    kubelets.get(pod.spec.nodeName)!.vanish();
    const node = `/api/v1/nodes/${pod.spec.nodeName}`;
    await eventually(
      'the node unreachable',
      async () => {
        const { status } = await plane.kube.get(node);
        return status.conditions.some(({ type, status: is }: KubeObject) => type === 'Ready' && is !== 'True');
      },
      120,
    );
    const path = `/api/v1/namespaces/${NS}/pods/${pod.metadata.name}`;
    await plane.kube.ok('DELETE', path, { gracePeriodSeconds: 1 });
    // The two minutes after which the pod counts as lost are over at once for an operator of another time.
    await product.stop('operator');
    writeFileSync(join(product.dataDir, 'skew-operator'), String(MONTH_MS));
    await product.run('operator', { SEQPANEL_LEADER_ELECTION: 'on' });
    lab.untell('hold', 'reads');
    expect(await lab.ended(lost, 300)).toBe('completed');
  }

  /** The operator, whose clock is a month ahead, deletes what is over for that long; the api finds it gone. */
  async function forgetOldTask(product: ClusterProduct, id: string): Promise<void> {
    const path = `${collection('AnalysisTask', NS)}/${id}`;
    await eventually('the old task deleted', async () => (await plane.kube.call('GET', path)).status === 404, 60);
    const open = await product.admin();
    expect((await open.raw('/readyz')).status).toBe(200);
  }

  test.each(PARTS)('the %s used what the chart grants it, nothing else, and was refused nothing', (part) => {
    const granted = grantedTo(rights, account(part));
    expect(granted.size).toBeGreaterThan(10);
    const different = difference(granted, usedBy(auditLog, userOf(part)), ASKED_BY_ADMISSION);
    process.stderr.write(
      `difference between the rights granted to and used by the ${part}: ${different.join(', ') || 'none'}\n`,
    );
    expect(different).toEqual([]);
  });
});
