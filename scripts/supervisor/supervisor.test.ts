/** The supervisor with small children instead of operator and api. Postgres and the control plane are real. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { checkDataFolder, checkPort, checkTools, StartError } from './checks.ts';

const FAKE = `
import { createServer } from 'node:http';
if (process.argv[2] === 'api') createServer((_, answer) => answer.end('ok')).listen(process.env.SEQPANEL_PORT, '127.0.0.1');
else setInterval(() => {}, 60000);
process.on('SIGTERM', () => process.exit(0));
process.stdin.on('end', () => process.exit(0)).resume();
`;

const program = (folder: string) => `
import { startSupervisor } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'supervisor.ts')).href)};
const command = (name) => [process.execPath, ${JSON.stringify(join(folder, 'fake.mjs'))}, name];
const say = (line) => console.log(JSON.stringify({ said: line }));
try {
  const supervisor = await startSupervisor({
    dataDir: ${JSON.stringify(join(folder, 'data'))}, host: '127.0.0.1', port: 0, namespace: 'seqpanel',
    commands: { operator: command('operator'), api: command('api') }, say,
  });
  console.log(JSON.stringify({ url: supervisor.url, pids: supervisor.pids() }));
  process.on('SIGTERM', () => void supervisor.stop().then(() => process.exit(0)));
} catch (error) {
  console.log(JSON.stringify({ refused: error.message }));
  process.exit(1);
}
`;

interface Said {
  url?: string;
  pids?: Record<string, number>;
  refused?: string;
  said?: string;
}

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-supervisor-'));
const running: ChildProcess[] = [];

/** Starts a supervisor and returns access to its output. */
function start(): { child: ChildProcess; line(): Promise<Said> } {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program(folder)],
    {
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  running.push(child);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return { child, line: async () => JSON.parse((await lines.next()).value as string) as Said };
}

/** Our processes that still run. Zombies do not count. */
function left(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`SEQPANEL_DATA=${join(folder, 'data')}`)
      );
    } catch {
      return false;
    }
  });
}

async function nothingLeft(withinMs: number): Promise<void> {
  const until = Date.now() + withinMs;
  while (left().length > 0 && Date.now() < until) await setImmediate();
  expect(left()).toEqual([]);
}

beforeAll(() => writeFileSync(join(folder, 'fake.mjs'), FAKE));
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('the supervisor', () => {
  test('[K8S-31] starts all parts, allows one instance per folder, restarts dead parts and stops completely; twice', async () => {
    const first = start();
    const ready = await first.line();
    expect(Object.keys(ready.pids ?? {}).sort()).toEqual(['Postgres', 'api', 'control plane', 'operator']);
    expect(statSync(join(folder, 'data/secret')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data/kubeconfig')).mode & 0o777).toBe(0o600);

    const second = start();
    expect((await second.line()).refused).toMatch(
      /^SeqPanel is already running on the data folder .*: stop it first, or set SEQPANEL_DATA/,
    );

    process.kill(ready.pids!['operator']!, 'SIGKILL');
    expect((await first.line()).said).toMatch(/^operator stopped \(SIGKILL\) and restarts in 0\.2 s\./);

    const stopped = once(first.child, 'exit');
    first.child.kill('SIGTERM');
    expect((await stopped)[0]).toBe(0);
    await nothingLeft(0);

    const from = performance.now();
    const again = start();
    await again.line();
    console.log(`second start ready in ${(performance.now() - from).toFixed(0)} ms`);
    // 5 s on an idle machine.
    expect(performance.now() - from).toBeLessThan(5000 * Math.max(1, loadavg()[0]! / availableParallelism()));

    // A killed supervisor takes all children along. Postgres and the lock are free for the next start.
    again.child.kill('SIGKILL');
    await once(again.child, 'exit');
    await nothingLeft(3000);
    const third = start();
    expect((await third.line()).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    third.child.kill('SIGTERM');
    await once(third.child, 'exit');
  }, 60_000);
});

describe('the checks before a start', () => {
  test('a port in use gives one sentence that says what to do', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(checkPort('127.0.0.1', port)).rejects.toThrow(
      new StartError(
        `Port ${port} on 127.0.0.1 is in use: stop the process that uses it, or set SEQPANEL_PORT to another port.`,
      ),
    );
    taken.close();
  });

  test('a suitable folder that can be created passes without being created', () => {
    const wanted = join(folder, 'not/yet/there');
    checkDataFolder(wanted);
    expect(existsSync(join(folder, 'not'))).toBe(false);
  });

  test('a full disk is reported with its free space', () => {
    // A kernel file system without any free space.
    expect(() => checkDataFolder('/proc/self')).toThrow(/cannot be written|^Only 0 MB free .* at least 1 GB required/);
  });

  test('missing programs are reported with the command that installs them', () => {
    const list = join(folder, 'packages.txt');
    writeFileSync(list, '# program\tpackage\nno-such-tool\tsome-package\nsh\tdash\n');
    expect(() => checkTools(list)).toThrow(
      'Missing programs: no-such-tool. Install them, then start again: apt-get install --no-install-recommends some-package',
    );
  });
});
