/** Results that are made beside their place and renamed into it, so that the place is never half. */

import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A work folder without a change for so long belongs to a pod that is gone; bwa's longest silence is far shorter. */
const STALE_AFTER_MS = 6 * 3_600_000;
const WORK = '.work-';

/**
 * Runs `make` in an empty folder beside `place`, below `parent`, and renames it into place; what was there goes away
 * after it. A failure leaves nothing. Gives what `make` gives.
 */
export async function putInPlace<T>(parent: string, place: string, make: (work: string) => Promise<T>): Promise<T> {
  const prefix = `.${place.slice(parent.length + 1).replaceAll('/', '-')}-`;
  await mkdir(dirname(place), { recursive: true });
  await sweep(parent, prefix);
  const work = `${parent}/${prefix}${process.pid}-${Date.now()}`;
  await mkdir(work);
  try {
    const made = await make(work);
    const old = `${work}-old`;
    await rename(place, old).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(work, place);
    await rm(old, { recursive: true, force: true });
    return made;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Runs `make` in an empty folder inside `place` and moves its files up, the one of the name `last` after all others: without
 * that one the place is not finished. For a place that is a mount of its own, which cannot be renamed. What was there goes
 * away; a failure before the moves leaves it.
 */
export async function putFilesInPlace<T>(place: string, last: string, make: (work: string) => Promise<T>): Promise<T> {
  await mkdir(place, { recursive: true });
  await sweep(place, WORK);
  const work = `${place}/${WORK}${process.pid}-${Date.now()}`;
  await mkdir(`${work}/new`, { recursive: true });
  try {
    const made = await make(`${work}/new`);
    await rm(`${place}/${last}`, { force: true });
    for (const name of await readdir(place))
      if (!name.startsWith(WORK)) await rm(`${place}/${name}`, { recursive: true, force: true });
    const files = (await readdir(`${work}/new`)).filter((name) => name !== last);
    for (const name of [...files, last]) await rename(`${work}/new/${name}`, `${place}/${name}`);
    return made;
  } finally {
    await rm(work, { recursive: true, force: true });
    // Empty after a failed first try. A mount is busy, and stays.
    await rmdir(place).catch(() => undefined);
  }
}

/** Removes what killed pods left of the same place. */
async function sweep(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const { mtimeMs } = await stat(`${parent}/${name}`).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > STALE_AFTER_MS) await rm(`${parent}/${name}`, { recursive: true, force: true });
  }
}
