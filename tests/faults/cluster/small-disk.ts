/** A file system that is soon full, and filling it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JudgedRound } from './judged-round.ts';

const SIZE_MB = 96;
const PREFIX = 'seqpanel-small-disk-';

/** A folder on a file system of its own, or why there can be none. */
export function mountSmallDisk(): { folder: string } | { skipped: string } {
  unmountLeftOver();
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder], { stdio: 'pipe' });
    return { folder };
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return { skipped: 'a small file system cannot be mounted here (needs root)' };
  }
}

export function unmountSmallDisk(folder: string): void {
  execFileSync('umount', ['-l', folder], { stdio: 'pipe' });
  rmSync(folder, { recursive: true, force: true });
}

/** Those of runs that were killed. */
function unmountLeftOver(): void {
  const alive = new Set(readdirSync('/proc'));
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const folder = line.split(' ')[1] ?? '';
    const pid = folder.startsWith(join(tmpdir(), PREFIX)) && folder.split(PREFIX)[1]!.split('-')[0]!;
    if (pid && !alive.has(pid)) unmountSmallDisk(folder);
  }
}

/** Leaves no byte on a file system; gives back the function that makes room again. */
export function fill(round: JudgedRound, folder: string): () => void {
  const file = join(folder, '.filler');
  const room = () => rmSync(file, { force: true });
  round.afterwards(room);
  const { bavail, bsize } = statfsSync(folder);
  // The last blocks go byte by byte into the file, until nothing is left.
  for (let left = bavail * bsize; left >= bsize; left = statfsSync(folder).bavail * bsize)
    writeFileSync(file, Buffer.alloc(left), { flag: 'a' });
  return room;
}
