/** A child process of the tests' control plane, with its log in a file. */
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
    // Ends with this process, also when this process is killed.
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], { stdio: ['ignore', file, file] });
    closeSync(file);
    this.#child.on('error', () => undefined); // reported as an exit without a code
  }

  get running(): boolean {
    return this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Returns the end of its log, for the message of a failed start. */
  tail(lines = 8): string {
    return readFileSync(this.#log, 'utf8').trim().split('\n').slice(-lines).join('\n');
  }

  /** SIGKILL by default, because its state is deleted next and the API server's graceful shutdown takes seconds. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.running) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }
}

/** Returns `count` TCP ports of 127.0.0.1 that were free a moment ago. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
