/**
 * npm run bench:list [-- tasks samples]: the memory of an operator that follows retained tasks of a simulated API
 * server, by default 10,000 of 96 samples, with the heap limit of the chart's 512 MiB. The tasks are listed twice, as
 * at the start and at a resync. Exits with 1 when it uses over 300 MB or needs over 60 s to be ready.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually, kubeconfigOf } from '../cluster/kube-http.ts';
import { startOperator } from '../cluster/operator-process.ts';
import { processorMs } from './processor-time.ts';
import { OPERATOR_NODE_OPTIONS, residentMb } from './retained-tasks.ts';

const LIMIT_MB = 300;
const READY_S = 60;
const [tasks = '10000', samples = '96'] = process.argv.slice(2);
const server = fork(join(import.meta.dirname, 'retained-server.ts'), [tasks, samples]);
const folder = mkdtempSync(join(tmpdir(), 'seqpanel-list-'));
try {
  const [port] = (await once(server, 'message')) as [number];
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigOf({ url: `http://127.0.0.1:${port}`, token: 'none' }, 'seqpanel'));
  const from = performance.now();
  const operator = await startOperator(kubeconfig, 'seqpanel', {
    NODE_OPTIONS: OPERATOR_NODE_OPTIONS,
    SEQPANEL_PIPELINES_DIR: '',
  });
  const started = residentMb(operator.pid).now;
  const before = processorMs(operator.pid);
  await eventually('ready', async () => (await fetch(`${operator.url}/readyz`)).ok, 300);
  const seconds = (performance.now() - from) / 1000;
  const listing = (processorMs(operator.pid) - before) / 1000;
  await wait(30_000);
  const { now, highest } = residentMb(operator.pid);
  console.log(`${tasks} tasks of ${samples} samples: started with ${started} MB, ready after ${seconds.toFixed(1)} s`);
  console.log(`processor time of the operator from its start until then ${listing.toFixed(2)} s`);
  console.log(`resident ${now} MB 30 s later, highest ${highest} MB, bound ${LIMIT_MB} MB`);
  await operator.end();
  if (highest > LIMIT_MB || seconds > READY_S) process.exitCode = 1;
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}
