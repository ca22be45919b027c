/** One child process of the tests' control plane: its log in a file, its end awaited. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

export class Daemon {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #log: string;

  constructor(name: string, program: string, args: string[], log: string) {
    this.name = name;
    this.#log = log;
    const file = openSync(log, 'a');
    // It ends with this process, also when that is killed.
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { stdio: ['ignore', file, file] });
    closeSync(file);
    this.#child.on('error', () => undefined); // seen as an exit without a code
  }

  get running(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The end of its log, for the message of a failed start. */
  tail(lines = 8): string {
    return readFileSync(this.#log, 'utf8').trim().split('\n').slice(-lines).join('\n');
  }

  /** SIGKILL by default: its state is in a folder that is deleted next, and the API server's own way takes seconds. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.running) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }
}

/** `count` TCP ports of 127.0.0.1 that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
