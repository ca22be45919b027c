/** An installation of the chart on a cluster with real nodes: installed by the documented commands, used over HTTP. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RestClient } from '../../../scripts/demo/rest-client.ts';
import { logInAsAdmin } from '../../support/sign-in.ts';
import { eventually, type KubeObject } from '../kube-http.ts';
import type { TestCluster } from '../node/describe-on-nodes.ts';
import { whoHolds } from '../node/held.ts';
import { loadImage } from '../node/images.ts';
import { makeTestVolume } from '../node/test-volume.ts';
import { CHART, type Helm, openHelm } from './helm.ts';

const ROOT = join(CHART, '..');
export const RELEASE = 'seqpanel';
/** Time limit for the first build of the images. */
export const IMAGES_MS = 15 * 60_000;

export interface Installation {
  namespace: string;
  helm: Helm;
  /** Runs kubectl in the namespace. */
  kubectl(...args: string[]): string;
  /** Runs `helm upgrade --install` with the example for a single node and these values. */
  install(...args: string[]): Promise<void>;
  /** The same with the chart of another release, in this folder. */
  installChart(chart: string, ...args: string[]): Promise<void>;
  /** Returns the console's login page once it answers. */
  loginPage(seconds: number): Promise<string>;
  /** Logs in as the first administrator, through `kubectl port-forward`. */
  admin(): Promise<RestClient>;
  /** Copies a file to incoming/ on the storage. */
  copyIn(folder: string, file: string): Promise<void>;
  /** Returns the task's resource. */
  task(id: string): Promise<KubeObject>;
  /** Ends port-forwards, and deletes the release, the namespace and its volumes. */
  dispose(): Promise<void>;
}

/** Prepares an installation with images of the current tree. */
export async function newInstallation(cluster: TestCluster, namespace: string): Promise<Installation> {
  await bringImages();
  return prepareInstallation(cluster, namespace);
}

/** Creates a namespace that enforces "restricted", volumes, and the Secret by the command that the chart prints. */
export async function prepareInstallation(cluster: TestCluster, namespace: string): Promise<Installation> {
  const { kube } = cluster;
  const inNamespace = ['--kubeconfig', cluster.kubeconfig, '--namespace', namespace];
  const kubectl = (...args: string[]) =>
    execFileSync(cluster.kubectl, [...inNamespace, ...args], { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 });
  const helm = openHelm(cluster.helm, cluster.kubeconfig);
  const forwards: ChildProcess[] = [];
  const classes = { 'storage.className': `${namespace}-files`, 'postgres.className': `${namespace}-database` };

  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await kube.create('/api/v1/namespaces', { metadata: { name: namespace, labels } });
  const volumes: { remove(): Promise<void> }[] = [];
  for (const name of Object.values(classes)) volumes.push(await makeTestVolume(cluster, name));
  kubectl(
    ...['create', 'secret', 'generic', 'seqpanel'],
    `--from-literal=postgres-password=${randomBytes(24).toString('hex')}`,
    `--from-literal=postgres-api-password=${randomBytes(24).toString('hex')}`,
    `--from-literal=session-secret=${randomBytes(32).toString('hex')}`,
    `--from-literal=first-admin-password=Aa1-${randomBytes(8).toString('hex')}`,
    `--from-literal=test-password=Aa1-${randomBytes(8).toString('hex')}`,
  );
  const password = Buffer.from(
    kubectl('get', 'secret', 'seqpanel', '-o', 'jsonpath={.data.first-admin-password}'),
    'base64',
  ).toString();

  const installChart: Installation['installChart'] = async (chart, ...args) => {
    const values = Object.entries({ ...classes, 'storage.size': '1Gi', 'postgres.size': '1Gi' });
    await helm(
      // The CRDs are kept when a release is deleted. A release in another namespace must adopt them.
      ...['upgrade', '--install', '--take-ownership', RELEASE, chart],
      ...['--namespace', namespace, '-f', 'examples/small.yaml'],
      ...['--set', values.map(([key, value]) => `${key}=${value}`).join(',')],
      ...args,
    );
  };

  return {
    namespace,
    helm,
    kubectl,
    install: (...args) => installChart('.', ...args),
    installChart,
    loginPage: async (seconds) =>
      eventually(
        'login page',
        async () => {
          const path = `/api/v1/namespaces/${namespace}/services/${RELEASE}-api:http/proxy/login`;
          const { status, body } = await kube.call('GET', path);
          return status === 200 && (body as string);
        },
        seconds,
      ),
    admin: async () => {
      const child = spawn(
        'setpriv',
        [
          ...['--pdeathsig', 'KILL', cluster.kubectl, ...inNamespace],
          ...['port-forward', `service/${RELEASE}-api`, ':80'],
        ],
        { stdio: ['ignore', 'pipe', 'ignore'] },
      );
      forwards.push(child);
      const ended = once(child, 'exit').then(([code]) => [`it ended with ${code}`]);
      const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [string];
      const port = /127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (!port) throw new Error(`kubectl port-forward said ${line}`);
      return logInAsAdmin(`http://127.0.0.1:${port}`, password);
    },
    copyIn: async (folder, file) => {
      const to = `/storage/incoming/${folder}`;
      const script = `umask 002; mkdir -p ${to} && cat > ${to}/${basename(file)}`;
      execFileSync(
        cluster.kubectl,
        [...inNamespace, 'exec', '-i', `deployment/${RELEASE}-api`, '--', 'sh', '-c', script],
        { input: await readFile(file), maxBuffer: 2 ** 20 },
      );
    },
    task: (id) => kube.get(`/apis/seqpanel.dev/v1alpha1/namespaces/${namespace}/analysistasks/${id}`),
    dispose: async () => {
      for (const forward of forwards) forward.kill();
      await helm('uninstall', RELEASE, '--namespace', namespace, '--ignore-not-found');
      await kube.ok('DELETE', `/api/v1/namespaces/${namespace}`);
      await eventually(
        'namespace gone',
        async () => (await kube.call('GET', `/api/v1/namespaces/${namespace}`)).status === 404,
        120,
      );
      for (const volume of volumes) await volume.remove();
    },
  };
}

/** Builds missing images of the current tree and loads them onto the node tier. A given cluster must have them. */
export async function bringImages(): Promise<void> {
  if (process.env['SEQPANEL_TEST_KUBECONFIG']) return;
  const held = await whoHolds();
  if (!held) throw new Error('no cluster runs');
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-images-'));
  try {
    const main = join(ROOT, 'scripts/images/main.ts');
    const env = { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' };
    const build = spawn(process.execPath, [main, '--save', folder], { stdio: ['ignore', 'ignore', 'inherit'], env });
    const [code] = (await once(build, 'exit')) as [number | null];
    if (code !== 0) throw new Error('the images could not be built: see above, or npm run images');
    for (const name of await readdir(folder)) {
      if (name.endsWith('.tar')) await loadImage(held.layout, join(folder, name));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
