/** Runs child processes one at a time, which a signal stops together with this process. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export class Interrupted extends Error {}

export interface RunOptions {
  /** Shows the program's output. Otherwise it is returned, and included in the error when the program fails. */
  show?: boolean;
  input?: string;
}

export type Run = (program: string, args: readonly string[], options?: RunOptions) => Promise<string>;

/**
 * Returns a function that runs a program and resolves with its output. Throws Interrupted when `signal` stopped it,
 * else an Error when the program fails.
 */
export function runner(signal: AbortSignal | undefined, env: NodeJS.ProcessEnv): Run {
  return async (program, args, { show = false, input } = {}) => {
    if (signal?.aborted) throw new Interrupted();
    // Runs in its own process group: Ctrl-C reaches only this process, which then stops the whole group.
    const child = spawn(program, args, {
      detached: true,
      stdio: ['pipe', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
      env,
    });
    const ended = once(child, 'close'); // rejects when the program cannot be started
    const stop = () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGTERM');
    };
    signal?.addEventListener('abort', stop);
    child.stdin?.on('error', () => undefined); // the program ended without reading, and its exit code is reported
    child.stdin?.end(input);
    try {
      const [out, err, [code]] = await Promise.all([
        child.stdout ? text(child.stdout) : '',
        child.stderr ? text(child.stderr) : '',
        ended as Promise<[number | null]>,
      ]);
      if (signal?.aborted) throw new Interrupted();
      if (code !== 0) throw new Error(failure(program, args, code, `${out}${err}`));
      return out;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  };
}

const LAST_LINES = 20;

/** Names the program and its subcommand only, because arguments may be long. */
function failure(program: string, args: readonly string[], code: number | null, said: string): string {
  const name = program.split('/').at(-1);
  const command = args.filter((arg) => !arg.startsWith('-')).slice(0, 2);
  const lines = said.trim().split('\n').slice(-LAST_LINES).join('\n');
  return `${[name, ...command].join(' ')} failed with exit code ${code ?? 'of a signal'}${lines && `:\n${lines}`}`;
}
