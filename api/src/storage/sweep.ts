/** Keeps storage free of what nobody needs any more: results kept for later tasks, and what killed pods left. */

import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheRoot, keptRoot, taskDir, workDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { type CacheEntry, type CacheLimits, expiredEntries } from './expired-entries.ts';

const DAY_MS = 24 * 3_600_000;
/** For each group. A result is worth keeping while the same reads are likely to be analysed again. */
export const CACHE_LIMITS: CacheLimits = { maxAgeMs: 30 * DAY_MS, maxBytes: 50 * 1024 ** 3 };
/** After a task's end its last pods are surely gone. */
const PODS_GONE_MS = 10 * 60_000;
/** Longer ago it was looked after already, unless nothing ran for so long. */
const LOOKED_AFTER_MS = 7 * DAY_MS;

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** What goes while it is read is gone: a task takes or makes results at the same time. */
async function entryAt(path: string): Promise<CacheEntry | undefined> {
  try {
    const { mtimeMs: usedMs } = await stat(path);
    const files = await readdir(path, { recursive: true });
    const stats = await Promise.all(files.map((file) => stat(join(path, file))));
    const own = stats.filter((each) => each.isFile() && each.nlink === 1);
    return { path, usedMs, bytes: own.reduce((sum, { size }) => sum + size, 0) };
  } catch {
    return undefined;
  }
}

/** A task that takes a result while it goes finds it not whole and computes it anew. */
export async function sweepCaches(storageDir: string, now: Date, limits: CacheLimits = CACHE_LIMITS): Promise<void> {
  const roots = [cacheRoot, keptRoot].map((rootOf) => join(storageDir, dirname(rootOf('g'))));
  const groups = new Set((await Promise.all(roots.map(namesIn))).flat());
  for (const group of groups) {
    // Tasks of a release without this folder are under way when the next one comes: their pods mount it, and a kubelet
    // would make it as root.
    await mkdir(join(storageDir, keptRoot(group)), { recursive: true });
    const entries: CacheEntry[] = [];
    for (const folder of roots.map((root) => join(root, group)))
      for (const name of await namesIn(folder)) {
        const entry = await entryAt(join(folder, name));
        if (entry) entries.push(entry);
      }
    for (const { path } of expiredEntries(entries, limits, now.getTime()))
      await rm(path, { recursive: true, force: true });
  }
}

/** A pod that was killed leaves its work folder; the next pod of the task removes it, and after the last one this does. */
export async function sweepWork(db: Knex, storageDir: string, now: Date): Promise<void> {
  const ended = await db('task')
    .whereIn('status', ['completed', 'failed', 'aborted'])
    .whereBetween('finished', [new Date(now.getTime() - LOOKED_AFTER_MS), new Date(now.getTime() - PODS_GONE_MS)])
    .select('id');
  for (const { id } of ended)
    await rm(join(storageDir, taskDir(id), dirname(workDir('pod'))), { recursive: true, force: true });
}
