/** Writes results beside their final place and renames them into it, so that the place is never incomplete. */

import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Age at which a work folder counts as abandoned. bwa is silent for far less time. */
const STALE_AFTER_MS = 6 * 3_600_000;
const WORK = '.work-';

/**
 * Runs `make` in an empty folder beside `place`, below `parent`, and renames that folder to `place`. Deletes the previous
 * folder afterwards. A failure leaves `place` unchanged. Returns the result of `make`.
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
 * Runs `make` in an empty folder inside `place` and moves its files up. For a place that is a mount and cannot be renamed.
 * Moves the file `last` after all others: without it the place counts as unfinished. Deletes previous files, unless `make`
 * fails.
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
    // Empty after a failed first attempt. A mount is busy and stays.
    await rmdir(place).catch(() => undefined);
  }
}

/** Deletes work folders that killed pods left at the same place. */
async function sweep(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const { mtimeMs } = await stat(`${parent}/${name}`).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > STALE_AFTER_MS) await rm(`${parent}/${name}`, { recursive: true, force: true });
  }
}
