/** The node tier as others see it: who holds it, bringing it up, taking it down. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Layout, LEFT_BY, SOCKET } from './layout.ts';

/** What the process that holds the cluster says of it. */
export interface Held {
  pid: number;
  phase: 'starting' | 'ready' | 'stopping';
  /** ISO time. */
  since: string;
  layout: Layout;
  parts: { name: string; pid: number | undefined; running: boolean }[];
}

const UP_SECONDS = 120;
const DOWN_SECONDS = 60;
const soon = () => new Promise((resolve) => setTimeout(resolve, 100));

/** The cluster of this machine, or undefined where none is held. */
export async function whoHolds(): Promise<Held | undefined> {
  try {
    return JSON.parse(await text(connect(SOCKET))) as Held;
  } catch {
    return undefined;
  }
}

/** The folder that a killed run has left, if any. */
export function leftFolder(): string | undefined {
  return existsSync(LEFT_BY) ? readFileSync(LEFT_BY, 'utf8') : undefined;
}

/**
 * The cluster that runs, else a new one, Ready. `withParent`: the new one ends with this process, however that ends.
 * Throws with what the holder wrote when it does not come up.
 */
export async function bringUp({ withParent }: { withParent: boolean }): Promise<Held> {
  const logs = mkdtempSync(join(tmpdir(), 'seqpanel-node-'));
  const log = join(logs, 'holder.log');
  try {
    const out = openSync(log, 'a');
    let holder: ReturnType<typeof spawn> | undefined;
    const end = Date.now() + UP_SECONDS * 1000;
    while (Date.now() < end) {
      const held = await whoHolds();
      if (held?.phase === 'ready') return held;
      if (held === undefined) {
        if (holder && holder.exitCode !== null && holder.exitCode !== 0) break;
        if (holder === undefined || holder.exitCode === 0) {
          holder = spawn(
            process.execPath,
            [join(import.meta.dirname, 'holder.ts'), ...(withParent ? ['--with-parent'] : [])],
            {
              detached: true, // Ctrl-C is for this process; the holder then ends in its own order
              stdio: [withParent ? 'pipe' : 'ignore', out, out],
              env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
            },
          );
          holder.unref();
          (holder.stdin as { unref?: () => void } | null)?.unref?.();
        }
      }
      await soon();
    }
    throw new Error(`the cluster did not come up:\n${readFileSync(log, 'utf8')}`);
  } finally {
    rmSync(logs, { recursive: true });
  }
}

/** Ends the cluster and waits until nothing is left of it; also takes away what a killed run has left. */
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
