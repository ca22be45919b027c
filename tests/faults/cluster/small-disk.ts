/** Creates a small file system and fills it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JudgedRound } from './judged-round.ts';

const SIZE_MB = 96;
const PREFIX = 'seqpanel-small-disk-';

/** Returns a folder on its own file system, or the reason why there is none. */
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

/** Removes file systems of killed runs. */
function unmountLeftOver(): void {
  const alive = new Set(readdirSync('/proc'));
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n')) {
    const folder = line.split(' ')[1] ?? '';
    const pid = folder.startsWith(join(tmpdir(), PREFIX)) && folder.split(PREFIX)[1]!.split('-')[0]!;
    if (pid && !alive.has(pid)) unmountSmallDisk(folder);
  }
}

/** Fills a file system completely. Returns the function that frees the space. */
export function fill(round: JudgedRound, folder: string): () => void {
  const file = join(folder, '.filler');
  const room = () => rmSync(file, { force: true });
  round.afterwards(room);
  const { bavail, bsize } = statfsSync(folder);
  // Fills the last blocks byte by byte.
  for (let left = bavail * bsize; left >= bsize; left = statfsSync(folder).bavail * bsize)
    writeFileSync(file, Buffer.alloc(left), { flag: 'a' });
  return room;
}
