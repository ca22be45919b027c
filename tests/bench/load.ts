/**
 * `npm run bench:load [-- quick]`: many tasks at once on a real control plane with 100 nodes, pods played by kwok.
 * Measures the figures of docs/operations/load.md and writes them there. With `quick` runs a tenth of it and writes nothing.
 *   rate      Jobs a second of 250, 500 and 1,000 tasks of one sample, compared with a plain client with the same rights and Jobs, before them on the same control plane and after them on a new one
 *   wide      10 tasks of 384 samples
 *   reaction  from the end of a Job to the status and to the next Job, idle and at load; the Job controller's time separately
 *   writes    what we write per step, counted by the API server
 *   memory    the operator's with 1,000 tasks of 96 samples
 * The last line reports whether all figures are reached. Exits with 1 when one is not.
 */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import { credentialsIn, eventually, KubeHttp } from '../cluster/kube-http.ts';
import { type OperatorProcess, startOperator } from '../cluster/operator-process.ts';
import { operatorKubeconfig } from '../cluster/privileges.ts';
import { collection } from '../kubernetes-contract/builders.ts';
import { readDefinitions } from '../kubernetes-contract/server.ts';
import { Figures } from './load-figures.ts';
import { jobsOfOneTask, runPlainJobs, runTasks, type TaskRun } from './load-run.ts';
import { counterOf, makeMany, makePlace, STEPS, tasksOf } from './load-world.ts';

const QUICK = process.argv[2] === 'quick';
const SCALE = QUICK ? 10 : 1;
const NODES = 100 / SCALE;
const SIZES = [250, 500, 1000].map((tasks) => tasks / SCALE);
const WIDE = { tasks: QUICK ? 2 : 10, samples: 384 };
const IDLE_TASKS = QUICK ? 4 : 30;
const MEMORY = { tasks: 1000 / SCALE, samples: 96 };

/** Memory limits, without which V8 delays garbage collection. */
const [, NODE_OPTIONS = ''] =
  /NODE_OPTIONS="([^"]+)"/.exec(readFileSync(join(import.meta.dirname, '../../operator/Dockerfile'), 'utf8')) ?? [];
const AS_IN_ITS_IMAGE = { NODE_OPTIONS };
/** Admits all tasks at once, because the bench measures the operator and not the queue. */
const UNLIMITED = { SEQPANEL_GROUP_PODS: '0', SEQPANEL_TOTAL_PODS: '0' };

const figures = new Figures();

/** Runs `work` on its own control plane, so that measurements do not affect each other. */
async function onFreshPlane(work: (plane: ControlPlane) => Promise<void>): Promise<void> {
  const plane = await startControlPlane(readDefinitions());
  if ('skipped' in plane) {
    console.error(plane.skipped);
    process.exit(3);
  }
  try {
    await plane.startKwok(NODES);
    await work(plane);
  } finally {
    await plane.stop();
  }
}

/** Runs `work` with an operator on its own namespace. `client` has the operator's rights. */
async function withOperator<T>(
  plane: ControlPlane,
  namespace: string,
  work: (operator: OperatorProcess, client: KubeHttp) => Promise<T>,
): Promise<T> {
  await makePlace(plane, namespace);
  const kubeconfig = await operatorKubeconfig(plane, namespace);
  const operator = await startOperator(kubeconfig, namespace, UNLIMITED);
  try {
    return await work(operator, new KubeHttp({ url: plane.url, ...credentialsIn(kubeconfig) }));
  } finally {
    await operator.end();
  }
}

const run = (plane: ControlPlane, namespace: string, tasks: number, samples: number): Promise<TaskRun> =>
  withOperator(plane, namespace, ({ url }) => runTasks(plane.kube, namespace, `${url}/metrics`, tasks, samples));

/** Returns the Jobs a second of a plain client, which creates Jobs like those of one task. */
async function plainRate(plane: ControlPlane): Promise<number> {
  const [client, like] = await withOperator(plane, 'plain', async ({ url }, same) => {
    await runTasks(plane.kube, 'plain', `${url}/metrics`, 1, 1);
    return [same, await jobsOfOneTask(plane.kube, 'plain')] as const;
  });
  return runPlainJobs({ admin: plane.kube, client }, 'plain', like, SIZES[0]! * STEPS.length);
}

console.log(`load before: ${loadavg()[0]!.toFixed(1)}; ${NODES} nodes, ${STEPS.length} Jobs a task`);

await onFreshPlane(async (plane) => {
  await withOperator(plane, 'idle', async ({ url }) => {
    const runs: TaskRun[] = [];
    for (let i = 0; i < IDLE_TASKS; i++) {
      runs.push(await runTasks(plane.kube, 'idle', `${url}/metrics`, 1, 1));
      await plane.kube.ok('DELETE', `${collection('AnalysisTask', 'idle')}/load-1-1`, {
        propagationPolicy: 'Foreground',
      });
      await eventually('the task and its Jobs are gone', async () => {
        const { items } = await plane.kube.get(collection('AnalysisTask', 'idle'));
        return items.length === 0;
      });
    }
    figures.idle(runs);
  });
});

// Measures the plain client before and after, because a machine's speed changes within minutes.
const plain: number[] = [];
const runs: TaskRun[] = [];
for (const tasks of SIZES)
  await onFreshPlane(async (plane) => {
    plain.push(await plainRate(plane));
    runs.push(await run(plane, 'tasks', tasks, 1));
  });
await onFreshPlane(async (plane) => {
  plain.push(await plainRate(plane));
});
runs.forEach((tasks, i) => {
  figures.tasks(tasks, 2 / (1 / plain[i]! + 1 / plain[i + 1]!));
});

await onFreshPlane(async (plane) => {
  figures.wide(await run(plane, 'wide', WIDE.tasks, WIDE.samples));
});

await onFreshPlane(async (plane) => {
  await makePlace(plane, 'memory');
  const path = collection('AnalysisTask', 'memory');
  await makeMany(plane.kube, path, tasksOf(MEMORY.tasks, MEMORY.samples, false));
  const operator = await startOperator(await operatorKubeconfig(plane, 'memory'), 'memory', {
    ...AS_IN_ITS_IMAGE,
    ...UNLIMITED,
  });
  const metrics = async () => (await fetch(`${operator.url}/metrics`)).text();
  await eventually(
    'every task told that it waits',
    async () => {
      const written = counterOf(await metrics(), 'seqpanel_operator_writes_total', {
        resource: 'analysistasks/status',
      });
      return written >= MEMORY.tasks;
    },
    300,
  );
  figures.memory(MEMORY, counterOf(await metrics(), 'process_resident_memory_bytes') / 1e6);
  await operator.end();
});

const missed = figures.conclude(!QUICK);
process.exit(missed.length === 0 ? 0 : 1);
