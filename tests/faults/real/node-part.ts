/** A program of the node tier that can be killed and restarted. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Held } from '../../cluster/node/held.ts';

export class NodePart {
  readonly name: string;
  readonly #log: string;
  /** Process id. After its end another process may get the number. */
  #pid: number | undefined;
  #started: { args: string[]; cwd: string; env: Record<string, string> } | undefined;

  constructor({ parts, layout }: Held, name: string) {
    const pid = parts.find((part) => part.name === name)?.pid;
    if (pid === undefined) throw new Error(`the cluster has no part ${name}`);
    this.name = name;
    this.#pid = pid;
    this.#log = join(name === 'apiserver' ? layout.controlPlane : layout.folder, `${name}.log`);
  }

  /** Sends SIGKILL. Resolves when it has ended. */
  async kill(): Promise<void> {
    const of = (file: string) => readFileSync(`/proc/${this.#pid}/${file}`, 'utf8').split('\0').filter(Boolean);
    this.#started ??= {
      args: of('cmdline'),
      cwd: readlinkSync(`/proc/${this.#pid}/cwd`),
      env: Object.fromEntries(of('environ').map((line) => line.split(/=(.*)/s).slice(0, 2))) as Record<string, string>,
    };
    const pid = this.#pid!;
    process.kill(pid, 'SIGKILL');
    while (lives(pid)) await wait(20);
    this.#pid = undefined;
  }

  /** Restarts a killed program with the same arguments. It ends with this process. */
  start(): void {
    if (this.#pid !== undefined) return;
    const { args, cwd, env } = this.#started!;
    const log = openSync(this.#log, 'a');
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...args], { cwd, env, stdio: ['ignore', log, log] });
    closeSync(log);
    child.on('error', () => undefined);
    this.#pid = child.pid!;
  }
}

/** A zombie has ended although it still has a process id. */
function lives(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
