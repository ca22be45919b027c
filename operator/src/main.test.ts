import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { JOBS } from '@seqpanel/crds/kube/objects.ts';
import { startTestCluster, type TestCluster } from './testing/test-cluster.ts';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.applyPipeline();
});
afterAll(() => cluster.stop());

const MAIN = join(import.meta.dirname, 'main.ts');

/** Dashboards and alerts use these names. */
const NAMES = [
  'leader',
  'tasks',
  'oldest_unreported_seconds',
  'failed_steps_total',
  'failed_samples_total',
  'reaction_seconds',
  'reconcile_seconds',
  'reconcile_errors_total',
  'queue_depth',
  'watch_errors_total',
  'writes_total',
].map((name) => `seqpanel_operator_${name}`);

/** Starts the operator's process and resolves when it serves. */
async function startProcess(env: Record<string, string> = {}): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      KUBECONFIG: join(cluster.dir, 'kubeconfig'),
      SEQPANEL_NAMESPACE: 'test',
      SEQPANEL_METRICS_PORT: '0',
      SEQPANEL_PARENT: 'stdin',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const found = /"port":(\d+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
  });
  return { child, url: `http://127.0.0.1:${port}` };
}

const untilReady = async (url: string): Promise<void> => {
  while ((await fetch(`${url}/readyz`)).status !== 200);
};

test('it serves probes and metrics, and exits with its parent', async () => {
  const { child, url } = await startProcess();
  await untilReady(url);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  for (const name of NAMES) expect(metrics).toMatch(new RegExp(`^# HELP ${name} \\S.* \\S`, 'm'));
  expect(metrics).toMatch(/^seqpanel_operator_tasks\{phase="Failed"\} 0$/m);
  expect(metrics).toMatch(/^seqpanel_operator_oldest_unreported_seconds 0$/m);
  expect(metrics).toMatch(/^seqpanel_operator_leader 1$/m);
  expect((await fetch(`${url}/nothing`)).status).toBe(404);
  const ended = once(child, 'exit');
  child.stdin?.end();
  expect(await ended).toEqual([0, null]);
});

test('SIGTERM shuts it down gracefully', async () => {
  const { child, url } = await startProcess();
  await untilReady(url);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test.each([
  ['SEQPANEL_METRICS_PORT', 'many'],
  ['SEQPANEL_LEADER_ELECTION', 'yes'],
  ['KUBECONFIG', '/nowhere/kubeconfig'],
])('a bad %s is refused with its name', async (name, value) => {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, NODE_OPTIONS: '', KUBECONFIG: join(cluster.dir, 'kubeconfig'), [name]: value },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(text).toContain(name);
});

test('[K8S-29] it is killed after each step, and the task still completes with one Job per step', async () => {
  await cluster.applyTask('killed', ['A', 'B']);
  for (const step of ['reads', 'cohort', 'call', 'joint', 'annotation', 'post-filter', 'qc']) {
    const { child } = await startProcess();
    await cluster.until(JOBS, `killed-${step}-1`, () => true);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  const { child } = await startProcess();
  const task = await cluster.untilPhase('killed', 'Completed', 'Failed');
  expect(task.status?.phase).toBe('Completed');
  const steps = (task.status?.stages ?? []).flatMap((stage) => stage.steps ?? []);
  expect(steps.map(({ attempt }) => attempt)).toEqual(Array(8).fill(1));
  expect((await cluster.jobs()).map(({ metadata }) => metadata.name)).toHaveLength(8);
  const ended = once(child, 'exit');
  child.stdin?.end();
  await ended;
}, 180_000);
