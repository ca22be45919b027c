/** Creates an installation on kind whose `helm test` passes. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KindCluster } from './cluster.ts';
import { NAME, newSecret, suitesOf } from './installation.ts';
import { Interrupted, type Run } from './runner.ts';

export interface Up {
  root: string;
  run: Run;
  cluster: KindCluster;
  /** The same cluster with its own runner, to clean up after `cluster` was interrupted. */
  remains: KindCluster;
  image: string | undefined;
  config: string | undefined;
}

const INSTALL_TIMEOUT = '10m';
const TEST_TIMEOUT = '20m';

export async function up({ root, run, cluster, remains, image, config }: Up): Promise<void> {
  const archives = mkdtempSync(join(tmpdir(), 'seqpanel-kind-'));
  let isCreated = false;
  try {
    console.log('Building the images (takes minutes the first time)…');
    const program = join(root, 'scripts', 'images.mjs');
    await run(process.execPath, [program, '--save', archives], { show: true });
    const existed = await cluster.exists();
    if (existed) {
      console.log('Updating the running kind cluster. --image and --config apply only to a new one.');
      await cluster.exportKubeconfig();
    } else {
      isCreated = true;
      await cluster.create(config ?? join(root, 'tests', 'cluster', 'kind.yaml'), image);
    }
    await step('Loading the images into the nodes', () =>
      cluster.load(
        readdirSync(archives)
          .filter((name) => name.endsWith('.tar'))
          .map((name) => join(archives, name)),
      ),
    );
    await step('Installing the chart', () => install(root, cluster, existed));
    await testInstallation(cluster);
    console.log(await howToUse(cluster));
  } catch (error) {
    if (error instanceof Interrupted && isCreated) {
      await step('Interrupted: deleting the kind cluster', () => remains.delete());
    } else if (!(error instanceof Interrupted) && (await remains.exists().catch(() => false))) {
      console.log(`The kind cluster stays, to see what is wrong: export KUBECONFIG=${cluster.kubeconfig}
Try again: npm run kind -- up      Delete it: npm run kind -- down`);
    }
    throw error;
  } finally {
    rmSync(archives, { recursive: true, force: true });
  }
}

async function install(root: string, cluster: KindCluster, existed: boolean): Promise<void> {
  await cluster.makeFolders();
  await cluster.kubectl(['apply', '-f', join(root, 'tests', 'cluster', 'kind-volumes.yaml')]);
  const secret = await cluster.kubectl(['get', 'secret', NAME, '--ignore-not-found', '-o', 'name']);
  if (secret === '') await cluster.kubectl(['create', '-f', '-'], newSecret());
  const values = join(root, 'tests', 'cluster', 'kind-values.yaml');
  try {
    // CRDs stay when a release is deleted, and may be owned by a release of a test.
    const args = ['upgrade', '--install', '--take-ownership', NAME, join(root, 'helm'), '-f', values];
    await cluster.helm([...args, '--wait', '--timeout', INSTALL_TIMEOUT]);
  } catch (error) {
    if (!(error instanceof Interrupted)) await show(cluster.kubectl(['get', 'pods,events']));
    throw error;
  }
  if (!existed) return;
  // Pods of an earlier installation run the earlier images of the same name.
  await cluster.kubectl(['rollout', 'restart', 'deployment']);
  await cluster.kubectl(['rollout', 'status', 'deployment', `--timeout=${INSTALL_TIMEOUT}`]);
}

export async function testInstallation(cluster: KindCluster): Promise<void> {
  const logs = () => cluster.kubectl(['logs', '-l', 'app.kubernetes.io/component=test', '--prefix', '--tail=-1']);
  try {
    const printed = await step('helm test: login, storage, a whole task on synthetic data', () =>
      cluster.helm(['test', NAME, '--timeout', TEST_TIMEOUT]),
    );
    await show(logs());
    console.log(suitesOf(printed));
  } catch (error) {
    if (!(error instanceof Interrupted)) await show(logs());
    throw error;
  }
  console.log(`\nEvery test of an installation on this cluster:
  SEQPANEL_TEST_KUBECONFIG=${cluster.kubeconfig} npm run test:cluster`);
}

async function howToUse(cluster: KindCluster): Promise<string> {
  const password = await cluster.kubectl(['get', 'secret', NAME, '-o', 'jsonpath={.data.first-admin-password}']);
  return `The console, on http://127.0.0.1:8080 for user admin with password ${Buffer.from(password, 'base64')}:
  export KUBECONFIG=${cluster.kubeconfig}
  kubectl -n ${NAME} port-forward service/${NAME}-api 8080:80
Delete the cluster: npm run kind -- down`;
}

/** Prints the state of the cluster. A failure to read it does not hide the original error. */
async function show(seen: Promise<string>): Promise<void> {
  console.log(await seen.catch((error: Error) => error.message));
}

/** Prints the start and the duration of a step. */
async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  console.log(`${title}…`);
  const started = Date.now();
  const result = await work();
  console.log(`  done in ${Math.round((Date.now() - started) / 1000)} s`);
  return result;
}
