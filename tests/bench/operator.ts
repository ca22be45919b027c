/**
 * `npm run bench:operator`: how fast the operator reacts. Tasks of eight steps run on a real control plane with pods simulated by kwok, while one busy process per core competes at the niceness of steps. Prints median and 99th percentile of the time from the end of a Job to the next Job of its task, over at least 200 Jobs:
 *   seen      between the two events in a watch of this process
 *   operator  the operator's own figure: from its watch event to the answer to the create
 * Exits with 1 when the operator's 99th percentile is over 250 ms.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism, loadavg } from 'node:os';
import { startControlPlane } from '../cluster/control-plane.ts';
import { startOperator } from '../cluster/operator-process.ts';
import { makeStorageClaim } from '../cluster/played-task.ts';
import { operatorKubeconfig } from '../cluster/privileges.ts';
import { collection } from '../kubernetes-contract/builders.ts';
import { makeNamespace, readDefinitions } from '../kubernetes-contract/server.ts';
import { quantile } from './load-world.ts';
import { histogramBound, NS, playedPipeline, runTasks, STEPS, watchTransitions } from './transitions.ts';

const TASKS = 30;
/** Tasks that run in parallel. */
const AT_ONCE = 6;
const LIMIT_MS = 250;
/** Niceness of steps that run next to the operator. */
const NICE = '10';

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

  const [load] = loadavg();
  const begin = performance.now();
  await runTasks(kube, TASKS, AT_ONCE);
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
