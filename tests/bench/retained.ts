/**
 * npm run bench:retained [-- tasks samples]: two operators on a real control plane that retains finished tasks, by
 * default 10,000 of 96 samples. Prints the time until both are ready, their memory, whether the Lease changed its
 * holder within two minutes, and for running tasks the time from the end of a Job to the next Job. Exits with 1 when
 * an operator needs more than 300 MB, or 60 s to be ready, when the Lease is lost, or when the 99th percentile is over
 * 250 ms. With `--keep` it runs until Ctrl-C and prints the kubeconfig, so that an api can be started on it.
 */
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { startControlPlane } from '../cluster/control-plane.ts';
import { eventually, type KubeHttp } from '../cluster/kube-http.ts';
import { type OperatorProcess, startOperator } from '../cluster/operator-process.ts';
import { makeStorageClaim } from '../cluster/played-task.ts';
import { operatorKubeconfig } from '../cluster/privileges.ts';
import { collection } from '../kubernetes-contract/builders.ts';
import { makeNamespace, readDefinitions } from '../kubernetes-contract/server.ts';
import { OPERATOR_NODE_OPTIONS, residentMb, retainedTask } from './retained-tasks.ts';
import { histogramBound, NS, playedPipeline, runTasks, watchTransitions } from './transitions.ts';

const LIMIT = { mb: 300, readySeconds: 60, nextJobMs: 250 };
/** Number of running tasks, in total and in parallel. */
const RUNNING = { tasks: 30, atOnce: 3 };
const LEASE_SECONDS = 120;
const CLIENTS = 8;

const [tasks, samples] = [0, 1].map((i) => Number(process.argv.slice(2).filter((arg) => arg !== '--keep')[i]));
const count = tasks || 10_000;

async function fill(kube: KubeHttp): Promise<void> {
  const path = collection('AnalysisTask', NS);
  let made = 0;
  const lane = async (): Promise<void> => {
    while (made < count) {
      const task = retainedTask(`retained-${made++}`, samples || 96);
      const { metadata } = await kube.create(path, task);
      const status = { ...task, metadata: { name: metadata.name, resourceVersion: metadata.resourceVersion } };
      await kube.ok('PUT', `${path}/${metadata.name}/status`, status);
      if (made % 1000 === 0) console.log(`${made} of ${count} tasks`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, lane));
}

const leaseOf = async (kube: KubeHttp) =>
  (await kube.get(`/apis/coordination.k8s.io/v1/namespaces/${NS}/leases/seqpanel-operator`)).spec as {
    holderIdentity: string;
    leaseTransitions: number;
  };

const plane = await startControlPlane(readDefinitions());
if ('skipped' in plane) {
  console.error(plane.skipped);
  process.exit(3);
}
/** Identifies the leader by the name in the Lease. */
const operators = new Map<string, OperatorProcess>();
try {
  const { kube } = plane;
  await plane.startKwok(3);
  await makeNamespace(kube, NS);
  await makeStorageClaim(kube, NS);
  await kube.create(collection('Pipeline', NS), playedPipeline());
  await fill(kube);

  const kubeconfig = await operatorKubeconfig(plane, NS);
  const from = performance.now();
  const readySeconds = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const settings = { SEQPANEL_LEADER_ELECTION: 'on', SEQPANEL_POD_NAME: name, NODE_OPTIONS: OPERATOR_NODE_OPTIONS };
      const operator = await startOperator(kubeconfig, NS, settings);
      operators.set(name, operator);
      await eventually(`${name} is ready`, async () => (await fetch(`${operator.url}/readyz`)).ok, 300);
      return (performance.now() - from) / 1000;
    }),
  );
  const before = await leaseOf(kube);
  await wait(LEASE_SECONDS * 1000);
  const [load] = loadavg();
  const transitions = watchTransitions(kube);
  await runTasks(kube, RUNNING.tasks, RUNNING.atOnce);
  const after = await leaseOf(kube);

  const leader = operators.get(after.holderIdentity)!;
  const metrics = await (await fetch(`${leader.url}/metrics`)).text();
  const p99 = histogramBound(metrics, 'seqpanel_operator_reaction_seconds', 0.99);
  const memory = [...operators.values()].map(({ pid }) => residentMb(pid));
  const isLost = before.holderIdentity !== after.holderIdentity || before.leaseTransitions !== after.leaseTransitions;
  console.log(`${count} retained tasks of ${samples || 96} samples, load of the machine ${load}`);
  console.log(
    `ready after ${readySeconds.map((seconds) => `${seconds.toFixed(1)} s`).join(' and ')}, together started`,
  );
  console.log(`resident ${memory.map(({ now, highest }) => `${now} MB (highest ${highest})`).join(' and ')}`);
  console.log(`Lease ${isLost ? 'LOST' : 'kept'}`);
  console.log(`next Job p99 <= ${p99.bound} ms of ${p99.count}, ${transitions.length} seen`);
  const isOver =
    memory.some(({ highest }) => highest > LIMIT.mb) ||
    readySeconds.some((seconds) => seconds > LIMIT.readySeconds) ||
    p99.bound > LIMIT.nextJobMs;
  if (isOver || isLost) process.exitCode = 1;
  if (process.argv.includes('--keep')) {
    console.log(`KUBECONFIG=${kubeconfig}`);
    await once(process, 'SIGINT');
  }
} finally {
  await Promise.all([...operators.values()].map((operator) => operator.end('SIGKILL')));
  await plane.stop();
}
