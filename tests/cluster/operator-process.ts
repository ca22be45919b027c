/** Runs the operator as its own process on any server, as in the product. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = join(import.meta.dirname, '../../operator/src/main.ts');

export interface OperatorProcess {
  /** http://127.0.0.1:<port> of its metrics and probes. */
  url: string;
  pid: number;
  /** Sends SIGTERM by default. Resolves when the process has ended. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Sends a signal that does not end it: SIGSTOP, SIGCONT. */
  signal(name: NodeJS.Signals): void;
  /** Resolves with its exit code, null after a signal. */
  ended: Promise<number | null>;
}

/** Starts it and waits until its probes are served. Copies its warnings and errors to stderr. */
export async function startOperator(
  kubeconfig: string,
  namespace: string,
  settings: Record<string, string> = {},
): Promise<OperatorProcess> {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      KUBECONFIG: kubeconfig,
      SEQPANEL_NAMESPACE: namespace,
      SEQPANEL_METRICS_PORT: '0',
      SEQPANEL_LOG_FORMAT: 'json',
      SEQPANEL_PARENT: 'stdin',
      ...settings,
    },
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const port = await portOf(child);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    end: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await ended;
    },
    signal: (name) => child.kill(name),
    ended,
  };
}

/** The first line of its log contains the port. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the operator ended with ${code}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const entry = JSON.parse(line) as { port?: number; level: number | string; msg?: string };
      if (entry.port !== undefined) resolve(entry.port);
      if (entry.level === 'error' || Number(entry.level) >= 50) process.stderr.write(`operator: ${line}\n`);
    });
  });
}
