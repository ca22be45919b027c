/** The processes of pods as this machine, which is their node, sees them: stopped, killed, starved of memory. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CGROUPS = '/sys/fs/cgroup';

/** The file of a process, or nothing where it has ended. */
function read(pid: string | number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Processes of a pod's containers, without what holds the pod itself and what only starts containers. */
export function processesOf(podUid: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && read(name, 'cgroup').includes(podUid))
    .filter((pid) => {
      const [program = ''] = read(pid, 'cmdline').split('\0');
      return program !== '' && program !== '/pause' && !/(^|\/)runc$/.test(program);
    })
    .map(Number);
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // it has ended by itself
    }
  }
}

/** The container's first process, with which the others end. */
export function firstOf(pids: readonly number[]): number {
  const first = pids.find((pid) => /^NSpid:\t.*\t1$/m.test(read(pid, 'status')));
  if (first === undefined) throw new Error('the container has ended already');
  return first;
}

const MB = 2 ** 20;

/**
 * Lowers the limit of memory of a process's container to little more than it holds, so that the kernel kills it as soon
 * as it wants more.
 */
export function starve(pid: number): void {
  const file = memoryLimitOf(read(pid, 'cgroup'));
  for (let limit = 16 * MB; ; limit += 4 * MB) {
    try {
      writeFileSync(file, String(limit));
      return;
    } catch (error) {
      // Less than it holds, where the kernel takes back nothing that is in use.
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    }
  }
}

/** The file with the limit: of version 1 of control groups, or of version 2. */
function memoryLimitOf(groups: string): string {
  const [first] = /^\d+:memory:(.*)$/m.exec(groups)?.slice(1) ?? [];
  const [second] = /^0::(.*)$/m.exec(groups)?.slice(1) ?? [];
  const file =
    first === undefined
      ? join(CGROUPS, second ?? '', 'memory.max')
      : join(CGROUPS, 'memory', first, 'memory.limit_in_bytes');
  if (!existsSync(file)) throw new Error(`no limit of memory at ${file}`);
  return file;
}
