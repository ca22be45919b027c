/** Stops, kills and starves processes of pods, whose node is this machine. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const CGROUPS = '/sys/fs/cgroup';

/** Reads a /proc file of a process. Empty when the process has ended. */
function read(pid: string | number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the processes of a pod's container that runs one of our programs, without those of the pause container. */
export function processesOf(podUid: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const inPod = pids
    .map((pid) => ({ pid: Number(pid), group: read(pid, 'cgroup') }))
    .filter(({ group }) => group.includes(podUid));
  const ours = inPod.find(({ pid }) => /^[^\0]*node\0.*\/src\/main\.ts\0/.test(read(pid, 'cmdline')));
  return inPod.filter(({ group }) => group === ours?.group).map(({ pid }) => pid);
}

export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // it has already ended
    }
  }
}

/** Returns the container's first process, with which the others end. */
export function firstOf(pids: readonly number[]): number {
  const first = pids.find((pid) => /^NSpid:\t.*\t1$/m.test(read(pid, 'status')));
  if (first === undefined) throw new Error('the container has ended already');
  return first;
}

/** Memory that the starved container gets in addition to its current use. */
const LEFT = 32 * 2 ** 20;

/**
 * Lowers the memory limit of a process's container and starts a program in it that uses the rest, so that the kernel
 * kills the process. Resolves when the process has ended.
 */
export async function starve(pid: number): Promise<void> {
  const group = memoryGroupOf(read(pid, 'cgroup'));
  const holds = Number(readFileSync(group.usage, 'utf8'));
  writeFileSync(group.limit, String(holds + LEFT));
  const eater = spawn('sh', ['-c', 'read go && exec tail /dev/zero'], { stdio: ['pipe', 'ignore', 'ignore'] });
  writeFileSync(group.members, String(eater.pid));
  // The kernel kills the container's own process first.
  writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  eater.stdin.end('go\n');
  try {
    const end = Date.now() + 60_000;
    while (/^State:\t[^ZX]/m.test(read(pid, 'status'))) {
      if (Date.now() > end) throw new Error('the kernel killed nothing');
      await wait(50);
    }
  } finally {
    eater.kill('SIGKILL');
  }
}

/** Files of the container's control group, version 1 or 2. */
function memoryGroupOf(groups: string): { limit: string; usage: string; members: string } {
  const first = /^\d+:memory:(.*)$/m.exec(groups)?.[1];
  const second = /^0::(.*)$/m.exec(groups)?.[1];
  const folder = first === undefined ? join(CGROUPS, second ?? '') : join(CGROUPS, 'memory', first);
  const members = join(folder, 'cgroup.procs');
  return first === undefined
    ? { limit: join(folder, 'memory.max'), usage: join(folder, 'memory.current'), members }
    : { limit: join(folder, 'memory.limit_in_bytes'), usage: join(folder, 'memory.usage_in_bytes'), members };
}
