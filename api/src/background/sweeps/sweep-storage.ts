/** Frees storage: removes expired results kept for later tasks, and work folders of killed pods. */

import { dirname } from 'node:path';
import { cacheRoot, keptRoot, taskDir, workDir } from '@seqpanel/crds/storage.ts';
import { ENDED_STATUSES } from '@seqpanel/crds/task-status.ts';
import type { Knex } from 'knex';
import { makeFolder, removeEntry } from '../../storage/change-storage.ts';
import { type CacheEntry, type CacheLimits, expiredEntries } from '../../storage/expired-entries.ts';
import { listFolder, placeIn, type StoragePlace, statEntries, statEntry } from '../../storage/inside-storage.ts';
import { forEachParallel } from '../for-each-parallel.ts';

const DAY_MS = 24 * 3_600_000;
/** Limits per group. A result is worth keeping while the same reads are likely to be analysed again. */
export const CACHE_LIMITS: CacheLimits = { maxAgeMs: 30 * DAY_MS, maxBytes: 50 * 1024 ** 3 };
/** Time after a task's end when its last pods are certainly gone. */
const PODS_GONE_MS = 10 * 60_000;
/** Tasks that ended earlier were swept already, unless nothing ran for that long. */
const LOOKED_AFTER_MS = 7 * DAY_MS;

const AT_ONCE = 8;

const namesIn = (folder: StoragePlace): Promise<string[]> =>
  listFolder(folder).then(
    (entries) => entries.map(({ name }) => name),
    () => [],
  );

/** Bytes of the files without another hard link. */
async function ownBytes(folder: StoragePlace): Promise<number> {
  let sum = 0;
  for (const { name, stats } of await statEntries(folder)) {
    if (stats.isDirectory()) sum += await ownBytes(folder.child(name));
    else if (stats.isFile() && stats.nlink === 1) sum += stats.size;
  }
  return sum;
}

/** Returns undefined for an entry removed during the read, because tasks use and store results at the same time. */
async function entryAt(folder: StoragePlace): Promise<CacheEntry | undefined> {
  try {
    const { mtimeMs: usedMs } = await statEntry(folder);
    return { path: folder.path, usedMs, bytes: await ownBytes(folder) };
  } catch {
    return undefined;
  }
}

/** Removes expired results. A task that is reading one finds it incomplete and computes it again. */
export async function sweepCaches(storageDir: string, now: Date, limits: CacheLimits = CACHE_LIMITS): Promise<void> {
  const roots = [cacheRoot, keptRoot].map((rootOf) => placeIn(storageDir, dirname(rootOf('g'))));
  const groups = new Set((await Promise.all(roots.map(namesIn))).flat());
  for (const group of groups) {
    // Tasks of an earlier release may still run after the upgrade. Their pods mount this folder, and a kubelet would
    // create it as root.
    await makeFolder(placeIn(storageDir, keptRoot(group)));
    const entries: CacheEntry[] = [];
    for (const folder of roots.map((root) => root.child(group)))
      for (const name of await namesIn(folder)) {
        const entry = await entryAt(folder.child(name));
        if (entry) entries.push(entry);
      }
    for (const { path } of expiredEntries(entries, limits, now.getTime())) await removeEntry(placeIn(storageDir, path));
  }
}

/** Removes work folders that killed pods left. The next pod of a task removes them too; this covers the last one. */
export async function sweepWork(db: Knex, storageDir: string, now: Date): Promise<void> {
  const ended = await db('task')
    .whereIn('status', ENDED_STATUSES)
    .whereBetween('finished', [new Date(now.getTime() - LOOKED_AFTER_MS), new Date(now.getTime() - PODS_GONE_MS)])
    .select('id', 'resource_name');
  await forEachParallel(ended, AT_ONCE, ({ id, resource_name: name }) =>
    removeEntry(placeIn(storageDir, taskDir(name ?? id), dirname(workDir('pod')))),
  );
}
