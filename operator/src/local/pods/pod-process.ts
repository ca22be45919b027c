/**
 * Runs a pod as processes of this machine. `unshare --pid --kill-child` makes a process tree that dies as one, also when
 * this process is killed (`setpriv --pdeathsig`). Without it, grandchildren in a pipe survive a SIGKILL.
 */

import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** Environment variables of every pod process: its runner (data folder) and its pod. */
export const RUNNER_ENV = 'SEQPANEL_LOCAL_RUNNER';
export const POD_ENV = 'SEQPANEL_POD_UID';

const PARENT = ['setpriv', '--pdeathsig', 'KILL'];
const NAMESPACE = ['unshare', '--user', '--map-current-user', '--pid', '--fork', '--kill-child=KILL'];
/** Steps must never slow down processes that serve users. */
const NICE = ['nice', '-n', '10'];
/** When memory runs out, the kernel kills a step rather than the database or the api. */
const EXPENDABLE = ['sh', '-c', '{ echo 1000 > /proc/self/oom_score_adj; } 2> /dev/null; exec "$@"', 'expendable'];
/** Exit code of a program that could not be started. The shell's own 2 would mean bad input of the step. */
export const NO_PROCESS = 71;
/** The first process of a PID namespace ignores SIGTERM unless it handles it, so the program is the second. */
export const INIT = ['sh', '-c', `trap '[ "$p" ] || exit ${NO_PROCESS}' EXIT; "$@" & p=$!; wait $p`, 'init'];

/** Whether this machine allows user namespaces; tested once. */
let namespaces: boolean | undefined;
export function hasUserNamespaces(): boolean {
  namespaces ??= spawnSync(NAMESPACE[0]!, [...NAMESPACE.slice(1), 'true'], { stdio: 'ignore' }).status === 0;
  return namespaces;
}

export interface PodProcess {
  /** Resolves with the exit code (128 + n for a signal); rejects when the process cannot be started. */
  exit: Promise<number>;
  /** Sends SIGTERM to the program, like a container runtime. */
  terminate(): void;
  kill(): void;
}

/** Starts the command. `log` is a file descriptor for stdout and stderr. */
export function startPodProcess(command: string[], cwd: string, env: Record<string, string>, log: number): PodProcess {
  const isolated = hasUserNamespaces();
  const line = [...PARENT, ...(isolated ? [...NAMESPACE, ...INIT] : []), ...NICE, ...EXPENDABLE, ...command];
  // In its own session, so that Ctrl-C in the terminal reaches only the supervisor, and the group can be signalled.
  const child = spawn(line[0]!, line.slice(1), { cwd, env, stdio: ['ignore', log, log], detached: true });
  const exit = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (!isolated) killStrays((environ) => environ.includes(`\0${POD_ENV}=${env[POD_ENV]}\0`));
      resolve(code ?? 128 + (constants.signals[signal ?? 'SIGKILL'] ?? 9));
    });
  });
  return {
    exit,
    terminate: () => {
      if (!isolated) {
        signal(-(child.pid ?? 0), 'SIGTERM');
        return;
      }
      // unshare waits and forwards no signals; its child is the namespace's first process, whose child is the program.
      const programs = childrenOf(child.pid).flatMap(childrenOf);
      for (const pid of programs) signal(pid, 'SIGTERM');
      if (programs.length === 0) signal(-(child.pid ?? 0), 'SIGKILL');
    },
    kill: () => signal(-(child.pid ?? 0), 'SIGKILL'),
  };
}

function childrenOf(pid: number | undefined): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (pid === 0) return;
  try {
    process.kill(pid, name);
  } catch {
    // it has already ended
  }
}

/** Number of processes that the kernel of this machine killed for memory; 0 where it is unknown. */
export function outOfMemoryKills(): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Kills every process whose environment matches; returns their number. */
export function killStrays(matches: (environ: string) => boolean): number {
  let found = 0;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue;
    try {
      if (!matches(`\0${readFileSync(`/proc/${entry}/environ`, 'latin1')}`)) continue;
    } catch {
      continue; // gone, or another user's
    }
    found++;
    signal(Number(entry), 'SIGKILL');
  }
  return found;
}

/** Kills the processes of an earlier run of this runner and waits until they have ended. */
export async function sweepRunner(runner: string): Promise<void> {
  const ours = (environ: string) => environ.includes(`\0${RUNNER_ENV}=${runner}\0`);
  // A killed process still needs CPU time to end, and pods have the lowest priority.
  const until = Date.now() + 60_000;
  while (killStrays(ours) > 0) {
    if (Date.now() > until)
      throw new Error('Processes of an earlier run are still running. End them by hand, then start again.');
    await new Promise((done) => setTimeout(done, 20));
  }
}
