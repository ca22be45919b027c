/** The node tier for its users: its holder, start and stop. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Layout, LEFT_BY, SOCKET } from './layout.ts';

/** The answer of the process that holds the cluster. */
export interface Held {
  pid: number;
  phase: 'starting' | 'ready';
  /** ISO time. */
  since: string;
  layout: Layout;
  parts: { name: string; pid: number | undefined; running: boolean }[];
}

const UP_SECONDS = 120;
/** Mostly spent deleting unpacked images. */
const DOWN_SECONDS = 180;
const soon = () => new Promise((resolve) => setTimeout(resolve, 100));

/** Returns the cluster of this machine, or undefined when there is none. */
export async function whoHolds(): Promise<Held | undefined> {
  try {
    return JSON.parse(await text(connect(SOCKET))) as Held;
  } catch {
    return undefined;
  }
}

/** Returns the folder that a killed run has left, if any. */
export function leftFolder(): string | undefined {
  return existsSync(LEFT_BY) ? readFileSync(LEFT_BY, 'utf8') : undefined;
}

/**
 * Returns the running cluster, else starts one and waits until it is Ready. `withParent`: a new one ends with this
 * process, also after a kill. Throws with the holder's output when the start fails.
 */
export async function bringUp({ withParent }: { withParent: boolean }): Promise<Held> {
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-node-'));
  const log = join(folder, 'holder.log');
  try {
    let holder: ChildProcess | undefined;
    const end = Date.now() + UP_SECONDS * 1000;
    while (Date.now() < end) {
      const held = await whoHolds();
      if (held?.phase === 'ready') return held;
      // It exits with 0 when another process was first, which may have ended since.
      if (!held && (!holder || holder.exitCode === 0)) holder = startHolder(log, withParent);
      if (holder?.exitCode || holder?.signalCode) break;
      await soon();
    }
    throw new Error(`the cluster did not come up:\n${existsSync(log) ? readFileSync(log, 'utf8') : ''}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Detached, so that Ctrl-C reaches only this process. The holder then reads the end of its input and stops in order.
 */
function startHolder(log: string, withParent: boolean): ChildProcess {
  const out = openSync(log, 'a');
  const holder = spawn(
    process.execPath,
    [join(import.meta.dirname, 'holder.ts'), ...(withParent ? ['--with-parent'] : [])],
    {
      detached: true,
      stdio: [withParent ? 'pipe' : 'ignore', out, out],
      env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
    },
  );
  closeSync(out);
  // This process waits for neither of them.
  holder.unref();
  (holder.stdin as Socket | null)?.unref();
  return holder;
}

/** Stops the cluster and waits until nothing is left of it. Also removes leftovers of a killed run. */
export async function takeDown(): Promise<void> {
  const end = Date.now() + DOWN_SECONDS * 1000;
  let held = await whoHolds();
  if (held) process.kill(held.pid, 'SIGTERM');
  while (held) {
    if (Date.now() > end) throw new Error(`process ${held.pid}, which holds the cluster, does not end`);
    await soon();
    held = await whoHolds();
  }
  const folder = leftFolder();
  if (folder === undefined) return;
  const cleaned = spawnSync(join(import.meta.dirname, 'clean.sh'), [folder], { stdio: 'inherit' });
  if (cleaned.status !== 0) throw new Error('the cluster could not be taken away, see above');
}
