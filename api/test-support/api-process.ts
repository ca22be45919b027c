/** Runs the api as a separate process, as installed, for tests of what must not end it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Key that signs its tokens. */
export const API_SECRET = 'ab'.repeat(32);

export interface LogLine {
  msg: string;
  address?: { port: number };
  [field: string]: unknown;
}

export interface ApiProcess {
  port: number;
  /** Port of /metrics and of the detailed /readyz. */
  metricsPort: number;
  pid: number;
  /** Folder of its temporary files. */
  tmp: string;
  kill(signal: NodeJS.Signals): void;
  /** Exit code and signal, once it has ended. */
  exit: Promise<[number | null, NodeJS.Signals | null]>;
  /** Undefined while it runs. */
  exitCode(): number | null | undefined;
  /** Resolves with the next line of its log with that message. */
  logged(message: string): Promise<LogLine>;
  residentBytes(): number;
  /** Stops it and removes its folder. */
  dispose(): Promise<void>;
}

/** Resolves when the process listens on a free port. */
export async function startApiProcess(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ApiProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-api-process-'));
  const tmp = mkdtempSync(join(folder, 'tmp-'));
  writeFileSync(join(folder, 'secret'), API_SECRET);
  writeFileSync(join(folder, 'kubeconfig'), UNREACHABLE_CLUSTER);
  const main = join(import.meta.dirname, '..', 'src', 'main.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      TMPDIR: tmp,
      SEQPANEL_PORT: '0',
      SEQPANEL_METRICS_PORT: '0',
      SEQPANEL_DATA: folder,
      SEQPANEL_FIRST_ADMIN_FILE: join(folder, 'first-admin'),
      SEQPANEL_SECRET_FILE: join(folder, 'secret'),
      DATABASE_URL: databaseUrl,
      KUBECONFIG: join(folder, 'kubeconfig'),
      ...env,
    },
  });
  const exit = once(child, 'exit') as ApiProcess['exit'];
  const unread: LogLine[] = [];
  let arrived = (): void => {};
  createInterface({ input: child.stdout })
    .on('line', (text) => {
      unread.push(JSON.parse(text) as LogLine);
      arrived();
    })
    .on('close', () => {
      unread.push({ msg: '', ended: true });
      arrived();
    });
  const logged = async (message: string): Promise<LogLine> => {
    for (;;) {
      const line = unread.shift();
      if (line?.['ended']) throw new Error(`The api exited before it logged: ${message}`);
      if (line?.msg === message) return line;
      if (!line) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    }
  };
  const { port: metricsPort } = (await logged('metrics listener started')).address!;
  const { port } = (await logged('listening')).address!;
  return {
    port,
    metricsPort,
    pid: child.pid!,
    tmp,
    kill: (signal) => child.kill(signal),
    exit,
    exitCode: () => (child.exitCode === null && child.signalCode === null ? undefined : child.exitCode),
    logged,
    residentBytes: () => {
      const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1];
      return Number(kilobytes) * 1024;
    },
    dispose: async () => {
      child.kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const UNREACHABLE_CLUSTER = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'away',
  contexts: [{ name: 'away', context: { cluster: 'away', user: 'away' } }],
  clusters: [{ name: 'away', cluster: { server: 'http://127.0.0.1:9' } }],
  users: [{ name: 'away', user: {} }],
});
