/**
 * `describe` for tests that need real nodes: running pods, volumes, services. Works on any cluster by its kubeconfig.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { missingTools } from '../../../scripts/install.mjs';
import { describeSkipped, findBinaries } from '../binaries.ts';
import { KubeHttp, type KubeObject } from '../kube-http.ts';
import { bringUp } from './held.ts';
import { whyNoNode } from './why-not.ts';

/** The cluster that a test runs on. */
export interface TestCluster {
  /** Path of a kubeconfig file of an administrator. */
  kubeconfig: string;
  /** Programs to run with KUBECONFIG=kubeconfig. */
  kubectl: string;
  helm: string;
  kube: KubeHttp;
  /** Folder on the nodes for hostPath volumes. */
  storage: string;
  /** The API server's audit log, on a cluster of ours. */
  auditLog?: string;
}

const UP_MS = 150_000;

/**
 * Runs the block on the cluster of SEQPANEL_TEST_KUBECONFIG, or else on the node tier of this machine. The tier is
 * started if necessary, serves all test files of this process and ends with it. Without a cluster, or with fewer than
 * `least` nodes, the block is reported as skipped with the reason. The block gets a function that returns the cluster,
 * because blocks are declared before it exists.
 */
export function describeOnNodes(title: string, block: (cluster: () => TestCluster) => void, least = 1): void {
  const given = process.env['SEQPANEL_TEST_KUBECONFIG'];
  const reason = given ? (whyNoClient() ?? whyTooFew(given, least)) : (whyNoNode() ?? whyNotOne(least));
  if (reason) {
    describeSkipped(title, reason);
    return;
  }
  describe(title, () => {
    let cluster: TestCluster | undefined;
    let proxy: ChildProcess | undefined;
    beforeAll(async () => {
      const place = given ? await placeOfGiven(given) : await placeOfNodeTier();
      const client = await startProxy(place.kubectl, place.kubeconfig);
      proxy = client.process;
      cluster = { ...place, kube: new KubeHttp({ url: client.url }) };
    }, UP_MS);
    block(() => {
      if (!cluster) throw new Error('the cluster is there from beforeAll on');
      return cluster;
    });
    // Declared after the block's own hooks, which still need the cluster, because hooks run in order of declaration.
    afterAll(() => {
      cluster?.kube.close();
      proxy?.kill();
    });
  });
}

type Place = Omit<TestCluster, 'kube'>;

async function placeOfNodeTier(): Promise<Place> {
  const { layout } = await bringUp({ withParent: true });
  const { kubeconfig, storage, auditLog } = layout;
  return { kubeconfig, storage, auditLog, ...clients() };
}

async function placeOfGiven(kubeconfig: string): Promise<Place> {
  return { kubeconfig, storage: process.env['SEQPANEL_TEST_STORAGE'] ?? '/var/lib/seqpanel-test', ...clients() };
}

/** Our own kubectl and helm, else those on PATH. */
function clients(): { kubectl: string; helm: string } {
  const binaries = findBinaries();
  return 'skipped' in binaries ? { kubectl: 'kubectl', helm: 'helm' } : binaries;
}

function whyNoClient(): string | undefined {
  if (!('skipped' in findBinaries())) return undefined;
  const missing = missingTools(['kubectl', 'helm'].map((program) => [program, program]));
  return missing.length > 0 ? `not on PATH: ${missing.map(([program]) => program).join(', ')}` : undefined;
}

function whyTooFew(kubeconfig: string, least: number): string | undefined {
  if (least === 1) return undefined;
  const args = ['--kubeconfig', kubeconfig, 'get', 'nodes', '-o', 'json'];
  const { items } = JSON.parse(execFileSync(clients().kubectl, args, { encoding: 'utf8', maxBuffer: 64 * 2 ** 20 }));
  const count = items.filter(({ spec }: KubeObject) => !spec.unschedulable && !spec.taints).length;
  return count < least ? `pods can run on ${count} of its nodes, and ${least} are needed` : undefined;
}

const whyNotOne = (least: number): string | undefined =>
  least > 1
    ? `the node tier is one node, and ${least} are needed: SEQPANEL_TEST_KUBECONFIG names a cluster`
    : undefined;

/** kubectl supports every authentication, and clients behind its proxy need none. */
async function startProxy(kubectl: string, kubeconfig: string): Promise<{ process: ChildProcess; url: string }> {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', kubectl, 'proxy', '--port=0', '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`kubectl proxy ended with ${code}`)));
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [string];
  ended.catch(() => undefined);
  return { process: child, url: `http://${line.split(' ').at(-1)}` };
}
