/** kubectl against the local control plane, for what the contract suite does not cover: watching and following. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { type LocalControlPlane, startLocalControlPlane } from './control-plane.ts';

/** From PATH, else from the build of the cluster tests. */
function findKubectl(): string | undefined {
  const built = join(homedir(), '.cache/seqpanel/cluster');
  const folders = existsSync(built) ? readdirSync(built).map((name) => join(built, name, 'bin')) : [];
  const places = [...(process.env['PATH'] ?? '').split(':'), ...folders].map((folder) => join(folder, 'kubectl'));
  return places.find((place) => existsSync(place));
}

const kubectl = findKubectl();
const withKubectl = kubectl ? describe : describe.skip;

const JOB = `
apiVersion: batch/v1
kind: Job
metadata: { name: said }
spec:
  completions: 1
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
        - { name: main, image: 'none:1', command: [bash, -c, 'echo one; until [ -e $SEQPANEL_STORAGE/go ]; do read -t 0.05 <> <(:) || :; done; echo two; exit 3'] }
`;

withKubectl(`kubectl${kubectl ? '' : ' (skipped: kubectl is neither on PATH nor built by the cluster tests)'}`, () => {
  let folder: string;
  let server: LocalControlPlane;
  const running: ChildProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'seqpanel-kubectl-'));
    server = await startLocalControlPlane({ dataDir: join(folder, 'data'), storageDir: join(folder, 'storage') });
    server.kubeconfig(join(folder, 'kubeconfig'));
    writeFileSync(join(folder, 'job.yaml'), JOB);
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ ...process.env, KUBECONFIG: join(folder, 'kubeconfig') });
  const follow = (...args: string[]): { lines: Interface; child: ChildProcess } => {
    const child = spawn(kubectl!, args, { env: env(), stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    return { child, lines: createInterface({ input: child.stdout! }) };
  };
  const run = async (...args: string[]): Promise<string> => {
    const { child, lines } = follow(...args);
    const output: string[] = [];
    lines.on('line', (line) => output.push(line));
    await once(child, 'close');
    return output.join('\n');
  };

  test('get -w prints each change as a row, logs -f ends with the pod, describe shows the reason', async () => {
    const watched = follow('get', 'jobs', '-w');
    const rows: string[] = [];
    watched.lines.on('line', (line) => rows.push(line));
    expect(await run('apply', '-f', join(folder, 'job.yaml'))).toBe('job.batch/said created');
    await run('wait', '--for=jsonpath={.status.ready}=1', 'job/said', '--timeout=20s');
    const log = follow('logs', '-f', 'job/said');
    const output: string[] = [];
    for await (const line of log.lines) {
      output.push(line);
      if (line === 'one') writeFileSync(join(folder, 'storage/go'), '');
    }
    expect(output).toEqual(['one', 'two']);
    await run('delete', 'job', 'said', '--cascade=orphan');
    while (!rows.some((row) => /^said\s+Running\s+0\/1/.test(row))) await once(watched.lines, 'line');
    expect(rows[0]).toMatch(/^NAME\s+STATUS\s+COMPLETIONS\s+DURATION\s+AGE$/);
    const pods = await run('get', 'pods', '-o', 'name');
    const described = await run('describe', pods.split('\n')[0]!);
    expect(described).toMatch(/Reason:\s+Error\n\s+Exit Code:\s+3/);
  }, 60_000);

  test('a wrong token is rejected with 401', async () => {
    const answer = await fetch(`${server.url}/api/v1/pods`, {
      headers: { authorization: `Basic ${btoa('seqpanel:no')}` },
    });
    expect([answer.status, await answer.json()]).toEqual([401, expect.objectContaining({ reason: 'Unauthorized' })]);
  });
});
