/** Two operators of one namespace: one works, the other takes over. On the local control plane and on a real one. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ContractServer,
  makeNamespace,
  startLocalServer,
  startRealServer,
} from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { credentialsIn, eventually } from './kube-http.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';
import { makeStorageClaim, PlayedTask } from './played-task.ts';
import { startWriteRecorder, type WriteRecorder } from './write-recorder.ts';

const NS = 'seqpanel';
/** Time limit of one test. Its waits take up to 30 s. */
const LIMIT_MS = 180_000;
const SHORT = {
  secondary: ['reads'],
  annotation: ['annotation'],
  'post-filter': ['post-filter'],
  qc: ['qc'],
  report: ['report'],
};

const leads = async ({ url }: OperatorProcess): Promise<boolean> =>
  /^seqpanel_operator_leader 1$/m.test(await (await fetch(`${url}/metrics`)).text());
const ready = async ({ url }: OperatorProcess): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 200;
const seconds = (from: number): number => (performance.now() - from) / 1000;

/** Returns NODE_OPTIONS that make a process's time of day jump by that many ms three seconds after its start. */
const jumping = (ms: number): string => {
  const code = `const real=Date.now,at=real()+3000;Date.now=()=>real()+(real()>at?${ms}:0);
    globalThis.Date=class extends Date{constructor(...a){super(...(a.length?a:[Date.now()]))}};`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
};

function theSuite(start: () => Promise<ContractServer>): void {
  let server: ContractServer;
  let recorder: WriteRecorder;
  let kubeconfig: string;
  const started: OperatorProcess[] = [];
  const tasks: PlayedTask[] = [];

  async function operator(settings: Record<string, string> = {}, from = kubeconfig) {
    const made = await startOperator(from, NS, { SEQPANEL_LEADER_ELECTION: 'on', ...settings });
    started.push(made);
    await eventually('its caches are filled', () => ready(made));
    return made;
  }
  async function aTask(name: string): Promise<PlayedTask> {
    const task = new PlayedTask(server.kube, NS, name);
    tasks.push(task);
    return task;
  }
  const lease = () => server.kube.get(`/apis/coordination.k8s.io/v1/namespaces/${NS}/leases/seqpanel-operator`);

  beforeAll(async () => {
    server = await start();
    await makeNamespace(server.kube, NS);
    if (server.url.startsWith('https')) await makeStorageClaim(server.kube, NS);
    kubeconfig = await server.operatorKubeconfig(NS);
    recorder = await startWriteRecorder({ url: server.url, ...credentialsIn(kubeconfig) }, NS);
  }, LIMIT_MS);
  afterAll(async () => {
    for (const each of started) {
      each.signal('SIGCONT');
      await each.end('SIGKILL');
    }
    recorder?.stop();
    await server?.stop();
    for (const task of tasks) task.remove();
  }, LIMIT_MS);

  test(
    'one of two operators leads and both are ready; clocks that jump by ten minutes change nothing',
    async () => {
      const first = await operator({ SEQPANEL_POD_NAME: 'first', NODE_OPTIONS: jumping(600_000) });
      await eventually('the first leads', () => leads(first));
      const second = await operator({ SEQPANEL_POD_NAME: 'second', NODE_OPTIONS: jumping(-600_000) });
      await new Promise((resolve) => setTimeout(resolve, 13_000));
      expect([await leads(first), await leads(second)]).toEqual([true, false]);
      const { spec } = await lease();
      expect([spec.holderIdentity, spec.leaseTransitions]).toEqual(['first', 1]);
      expect(Math.abs(Date.parse(spec.renewTime) - Date.now())).toBeLessThan(60_000);

      const task = await aTask('clocks');
      await task.create(1, SHORT);
      const { status } = await task.phase('Completed', 'Failed');
      expect([status.phase, status.failures]).toEqual(['Completed', undefined]);
      expect(Math.abs(Date.parse(status.started) - Date.now())).toBeLessThan(60_000);

      const from = performance.now();
      await second.end('SIGTERM');
      await first.end('SIGTERM');
      expect(seconds(from)).toBeLessThan(5);
      expect((await lease()).spec.holderIdentity).toBe('');
    },
    LIMIT_MS,
  );

  test(
    '[K8S-29] SIGTERM hands over within 2 s, SIGKILL within 15 s, and a task continues without duplicate Jobs',
    async () => {
      const first = await operator();
      await eventually('the first leads', () => leads(first));
      const second = await operator();
      const task = await aTask('handed-over');
      task.hold('reads');
      await task.create(2, SHORT);
      await task.running('reads', 2);

      let from = performance.now();
      first.signal('SIGTERM');
      await eventually('the second leads', () => leads(second));
      const afterTerm = seconds(from);
      expect(await first.ended).toBe(0);

      const third = await operator();
      from = performance.now();
      second.signal('SIGKILL');
      await task.release('reads');
      await eventually('the third leads', () => leads(third));
      const afterKill = seconds(from);
      const { status } = await task.phase('Completed', 'Failed');
      // The next test must start without a leader, also after a failure of this one.
      await third.end();
      process.stdout.write(
        `takeover: ${afterTerm.toFixed(2)} s after SIGTERM, ${afterKill.toFixed(2)} s after SIGKILL\n`,
      );
      expect([status.phase, status.failures]).toEqual(['Completed', undefined]);
      expect(await task.jobs()).toHaveLength(5);
      expect(task.runs().filter((run) => run.startsWith('reads'))).toHaveLength(2);
      expect(afterTerm).toBeLessThan(2);
      expect(afterKill).toBeLessThan(15);
    },
    LIMIT_MS,
  );

  test(
    '[K8S-29] a paused leader writes nothing when it resumes, and exits',
    async () => {
      const recorded = join(tasks[0]!.folder, 'kubeconfig');
      writeFileSync(recorded, recorder.kubeconfig);
      const first = await operator({}, recorded);
      await eventually('the first leads', () => leads(first));
      const before = await aTask('before-pause');
      await before.create(1, SHORT);
      await before.phase('Completed');
      expect(recorder.writes.length).toBeGreaterThan(10);

      const second = await operator();
      first.signal('SIGSTOP');
      const seen = recorder.writes.length;
      // The change waits in the paused process's socket and is the first thing that it reads when it resumes.
      const task = await aTask('while-paused');
      task.hold('reads');
      await task.create(1, SHORT);
      await eventually('the second leads', () => leads(second));
      await task.running('reads', 1);
      first.signal('SIGCONT');
      expect(await first.ended).toBe(1);
      await task.release('reads');
      const { status } = await task.phase('Completed', 'Failed');
      expect([status.phase, status.failures]).toEqual(['Completed', undefined]);
      expect(recorder.writes.slice(seen)).toEqual([]);
      await second.end();
    },
    LIMIT_MS,
  );
}

describe('two operators on the local control plane', () => theSuite(startLocalServer));
describeOnCluster('two operators on a real control plane', (binaries) => theSuite(() => startRealServer(binaries)));
