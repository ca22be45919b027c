import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { workDir } from '@seqpanel/crds/storage.ts';

/** How often a running pod updates the time of its folder. */
export const HEARTBEAT_MS = 15_000;
/** Age at which another pod's folder counts as abandoned. Both times come from the file server's clock. */
export const STALE_AFTER_MS = 120_000;

/** A pod's folder below `.work`. It is deleted with the pod, except for folders renamed into place. */
export interface WorkFolder {
  /** Creates an empty output folder and an empty temporary folder for a step and sample. */
  folders(name: string): Promise<{ out: string; tmp: string }>;
  /** Renames a finished folder into place. Returns false, and deletes the folder, when another pod was first. */
  publish(out: string, place: string): Promise<boolean>;
  /** Moves away an existing result with another fingerprint. */
  retire(place: string): Promise<void>;
  close(): Promise<void>;
}

const code = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Creates `.work/<podUid>` in the task's folder, keeps its time current and deletes abandoned folders. */
export async function openWorkFolder(taskFolder: string, podUid: string): Promise<WorkFolder> {
  const root = `${taskFolder}/${workDir(podUid)}`;
  // A restarted container finds the partial outputs of its predecessor.
  await rm(root, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(root, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  await sweep(dirname(root), root);
  return {
    async folders(name) {
      const out = `${root}/${name}`;
      const tmp = `${root}/${name}.tmp`;
      for (const folder of [out, tmp]) await mkdir(folder, { recursive: true });
      return { out, tmp };
    },
    async publish(out, place) {
      await mkdir(dirname(place), { recursive: true });
      await syncFolder(out);
      try {
        await rename(out, place);
      } catch (error) {
        if (code(error) !== 'ENOTEMPTY' && code(error) !== 'EEXIST') throw error;
        await rm(out, { recursive: true, force: true });
        return false;
      }
      await syncFolder(dirname(place));
      return true;
    },
    async retire(place) {
      await rename(place, `${root}/retired-${Date.now()}`).catch((error: unknown) => {
        if (code(error) !== 'ENOENT') throw error;
      });
    },
    async close() {
      clearInterval(heartbeat);
      await rm(root, { recursive: true, force: true });
    },
  };
}

async function sweep(all: string, own: string): Promise<void> {
  const { mtimeMs } = await stat(own);
  for (const name of await readdir(all)) {
    const folder = `${all}/${name}`;
    if (folder === own) continue;
    try {
      if (mtimeMs - (await stat(folder)).mtimeMs > STALE_AFTER_MS) await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (code(error) !== 'ENOENT') throw error;
    }
  }
}

/** Flushes a folder to disk, which makes a rename in it durable. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems reject fsync on a folder and order renames themselves.
    if (code(error) !== 'EINVAL' && code(error) !== 'ENOTSUP') throw error;
  } finally {
    await handle.close();
  }
}
