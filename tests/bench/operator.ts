/**
 * `npm run bench:operator`: how fast the operator goes on. Tasks of eight steps run on a real control plane,
 * their pods played by kwok, while a busy process for each core competes at the niceness of steps. Printed are the median and the 99th
 * percentile of the time from the end of a Job to the next Job of its task, over at least 200 of them:
 *   seen      between the two events as a watch of this process received them
 *   operator  the operator's own figure: from the watch event received to the create answered
 * Exit 1 when the operator's 99th percentile is over 250 ms.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { startControlPlane } from '../cluster/control-plane.ts';
import { eventually, type KubeHttp, type KubeObject } from '../cluster/kube-http.ts';
import { startOperator } from '../cluster/operator-process.ts';
import { makeStorageClaim } from '../cluster/played-task.ts';
import { operatorKubeconfig } from '../cluster/privileges.ts';
import { aSample, aTask, collection, FULL } from '../kubernetes-contract/builders.ts';
import { makeNamespace, readDefinitions } from '../kubernetes-contract/server.ts';

const NS = 'seqpanel';
const STEPS = ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc', 'report'];
const TASKS = 30;
/** Tasks that run side by side. */
const AT_ONCE = 6;
const LIMIT_MS = 250;
/** Steps run at this niceness beside the operator. */
const NICE = '10';

const sorted = (values: number[]) => [...values].sort((a, b) => a - b);
const quantile = (values: number[], q: number) => sorted(values)[Math.ceil(values.length * q) - 1] ?? Number.NaN;

/** The least upper bound of a histogram's buckets under which the share `q` of its values lies, in ms. */
function histogramBound(text: string, name: string, q: number): { bound: number; count: number } {
  const buckets = [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)"[^}]*\\} (\\d+)`, 'gm'))];
  const count = Number(buckets.at(-1)?.[2] ?? 0);
  const hit = buckets.find(([, , cumulative]) => Number(cumulative) >= q * count);
  return { bound: Number(hit?.[1] === '+Inf' ? Number.POSITIVE_INFINITY : hit?.[1]) * 1000, count };
}

interface Transition {
  /** The Job that ended. */
  from: string;
  ms: number;
}

/** Watches the Jobs of the namespace; gives the milliseconds from each end to the next Job of the same task. */
function watchTransitions(kube: KubeHttp): Transition[] {
  const ends = new Map<string, { job: string; at: number }>();
  const seen = new Set<string>();
  const transitions: Transition[] = [];
  const watch = kube.watch(`/apis/batch/v1/namespaces/${NS}/jobs?watch=true`);
  void (async () => {
    for await (const { type, object } of watch.events) {
      const task = object.metadata.labels?.['seqpanel.dev/task'] as string;
      const now = performance.now();
      if (type === 'ADDED') {
        const end = ends.get(task);
        if (end) transitions.push({ from: end.job, ms: now - end.at });
        ends.delete(task);
      } else if (!seen.has(object.metadata.uid) && hasEnded(object)) {
        seen.add(object.metadata.uid);
        ends.set(task, { job: object.metadata.name, at: now });
      }
    }
  })().catch(() => undefined);
  return transitions;
}

const hasEnded = (job: KubeObject) =>
  (job.status?.conditions ?? []).some(
    (c: KubeObject) => ['Complete', 'Failed'].includes(c.type) && c.status === 'True',
  );

function playedPipeline(): KubeObject {
  const pipeline = FULL['Pipeline']!('bench');
  const step = pipeline.spec.stages[0].steps[0];
  const made = (name: string) => ({ ...step, name, scope: ['reads', 'call'].includes(name) ? 'sample' : 'task' });
  for (const stage of pipeline.spec.stages) {
    stage.steps = stage.name === 'secondary' ? STEPS.slice(0, 4).map(made) : [made(stage.name)];
  }
  return pipeline;
}

async function runTask(kube: KubeHttp, name: string): Promise<void> {
  const samples = [1, 2, 3].map((i) => aSample(`S${i}`));
  const pipeline = { name: 'bench-1.0.0', version: '1.0.0' };
  await kube.create(collection('AnalysisTask', NS), aTask(name, { pipeline, samples }));
  const phase = await eventually(
    `${name} ended`,
    async () => {
      const { status } = await kube.get(`${collection('AnalysisTask', NS)}/${name}`);
      return ['Completed', 'Failed'].includes(status?.phase) && (status.phase as string);
    },
    120,
  );
  if (phase !== 'Completed') throw new Error(`${name} ended ${phase}`);
}

const plane = await startControlPlane(readDefinitions());
if ('skipped' in plane) {
  console.error(plane.skipped);
  process.exit(3);
}
const busy: ChildProcess[] = [];
try {
  const { kube } = plane;
  await plane.startKwok(3);
  await makeNamespace(kube, NS);
  await makeStorageClaim(kube, NS);
  await kube.create(collection('Pipeline', NS), playedPipeline());
  const operator = await startOperator(await operatorKubeconfig(plane, NS), NS);
  const transitions = watchTransitions(kube);
  for (let i = 0; i < availableParallelism(); i++)
    busy.push(spawn('nice', ['-n', NICE, process.execPath, '-e', 'for (;;);']));

  const names = Array.from({ length: TASKS }, (_, i) => `bench-${i}`);
  const lane = async () => {
    for (let name = names.pop(); name; name = names.pop()) await runTask(kube, name);
  };
  const [load] = loadavg();
  const begin = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  const seconds = Math.round((performance.now() - begin) / 1000);

  const metrics = await (await fetch(`${operator.url}/metrics`)).text();
  const own = (q: number) => histogramBound(metrics, 'seqpanel_operator_reaction_seconds', q);
  const ms = (value: number) => `${Math.round(value)} ms`;
  console.log(
    `${TASKS} tasks of ${STEPS.length} Jobs in ${seconds} s, ${busy.length} busy processes, load before ${load}`,
  );
  const seen = transitions.map((transition) => transition.ms);
  console.log(`seen      n ${seen.length}  p50 ${ms(quantile(seen, 0.5))}  p99 ${ms(quantile(seen, 0.99))}`);
  const slowest = transitions.sort((a, b) => b.ms - a.ms).slice(0, 5);
  console.log(`slowest   ${slowest.map((each) => `${each.from} ${ms(each.ms)}`).join(', ')}`);
  console.log(`operator  n ${own(0.5).count}  p50 <= ${own(0.5).bound} ms  p99 <= ${own(0.99).bound} ms`);
  const lag = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1]) * 1000;
  console.log(`its event loop waited p99 ${ms(lag)}; far over 20 ms means that the machine had no processor for it`);
  await operator.end();
  if (own(0.99).bound > LIMIT_MS || own(0.99).count < 200) process.exitCode = 1;
} finally {
  for (const child of busy) child.kill();
  await plane.stop();
}
