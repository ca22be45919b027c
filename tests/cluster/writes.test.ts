/** Number of the operator's writes for a task, as counted by the API server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContractServer, makeNamespace, startRealServer } from '../kubernetes-contract/server.ts';
import { describeOnCluster } from './binaries.ts';
import { credentialsIn, eventually } from './kube-http.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';
import { makeStorageClaim, PlayedTask } from './played-task.ts';
import { startWriteRecorder, type WriteRecorder } from './write-recorder.ts';

const NS = 'seqpanel';
/** Limit of our writes per step. */
const WRITES_PER_STEP = 6;
const STEPS = 7;
/** Time limit on a busy machine. */
const LIMIT_MS = 180_000;

describeOnCluster('the operator’s writes on a real control plane', (binaries) => {
  let server: ContractServer;
  let recorder: WriteRecorder;
  let operator: OperatorProcess;
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-writes-'));

  beforeAll(async () => {
    server = await startRealServer(binaries);
    await makeNamespace(server.kube, NS);
    await makeStorageClaim(server.kube, NS);
    recorder = await startWriteRecorder({ url: server.url, ...credentialsIn(await server.operatorKubeconfig(NS)) }, NS);
    writeFileSync(join(folder, 'kubeconfig'), recorder.kubeconfig);
    operator = await startOperator(join(folder, 'kubeconfig'), NS, {
      SEQPANEL_PIPELINES_DIR: '',
      // Jobs get their time to live when half of it has passed.
      SEQPANEL_JOB_TTL_SECONDS: '30',
    });
  }, LIMIT_MS);
  afterAll(async () => {
    await operator?.end();
    recorder?.stop();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns the API server's count of writes to a resource that only the operator writes. */
  async function counted(resource: string, verb: string, subresource = ''): Promise<number> {
    const text = (await server.kube.call('GET', '/metrics')).body as string;
    const lines = text.split('\n').filter((line) => line.startsWith('apiserver_request_total{'));
    const matching = lines.filter((line) =>
      [`resource="${resource}"`, `verb="${verb}"`, `subresource="${subresource}"`].every((part) => line.includes(part)),
    );
    return matching.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  test(
    'a task of one sample causes at most six of our writes per step',
    async () => {
      const task = new PlayedTask(server.kube, NS, 'one');
      try {
        await task.create(1);
        await task.phase('Completed', 'Failed');
        await eventually('all Jobs are given their time to live', async () =>
          (await task.jobs()).every(({ spec }) => spec.ttlSecondsAfterFinished !== undefined),
        );
        const kinds = recorder.writes.map((write) => {
          const [, verb, resource, sub] = /^(\w+) .*\/namespaces\/[^/]+\/(\w+)(?:\/[^/]+(\/\w+)?)?$/.exec(write) ?? [];
          return `${verb} ${resource}${sub ?? ''}`;
        });
        const counts = Object.fromEntries(
          [...new Set(kinds)].map((kind) => [kind, kinds.filter((k) => k === kind).length]),
        );
        process.stdout.write(
          `writes of a task of ${STEPS} steps: ${JSON.stringify(counts)}, ${(kinds.length / STEPS).toFixed(2)} a step\n`,
        );
        expect(counts['POST jobs']).toBe(STEPS);
        expect(counts['PUT analysistasks/status']).toBe(await counted('analysistasks', 'PUT', 'status'));
        expect(counts['POST jobs']).toBe(await counted('jobs', 'POST'));
        expect(counts['PATCH jobs']).toBe(await counted('jobs', 'PATCH'));
        expect(kinds.length / STEPS).toBeLessThanOrEqual(WRITES_PER_STEP);
        const metrics = await (await fetch(`${operator.url}/metrics`)).text();
        const told = [...metrics.matchAll(/^seqpanel_operator_writes_total\{.*\} (\d+)$/gm)].map(([, n]) => Number(n));
        // The Pipeline and the task were created by the test, not by the operator.
        expect(told.reduce((sum, n) => sum + n, 0)).toBe(recorder.writes.length);
      } finally {
        task.remove();
      }
    },
    LIMIT_MS,
  );
});
