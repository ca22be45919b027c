import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { workDir } from '@seqpanel/crds/storage.ts';

/** A live pod touches its folder this often … */
export const HEARTBEAT_MS = 15_000;
/** … so a folder this much older than our own belongs to a pod that is gone. Its clock is the file server's. */
export const STALE_AFTER_MS = 120_000;

/** A pod's folder below `.work`. Nothing of it outlives the pod but what was renamed into place. */
export interface WorkFolder {
  /** An empty folder for outputs and an empty one for scratch, named after the step and sample. */
  folders(name: string): Promise<{ out: string; tmp: string }>;
  /** Moves a finished folder into place. False when another pod was first; its folder stays, ours is deleted. */
  publish(out: string, place: string): Promise<boolean>;
  /** Moves a folder that is in the way (another fingerprint) out of it. */
  retire(place: string): Promise<void>;
  close(): Promise<void>;
}

const code = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Makes `.work/<podUid>` in the task's folder, keeps it fresh and removes what dead pods left. */
export async function openWorkFolder(taskFolder: string, podUid: string): Promise<WorkFolder> {
  const root = `${taskFolder}/${workDir(podUid)}`;
  // A container restarted in the same pod finds its predecessor's half.
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

/** A rename is durable once the folder that holds the name is on the disk. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems refuse fsync of a folder; they order renames by themselves.
    if (code(error) !== 'EINVAL' && code(error) !== 'ENOTSUP') throw error;
  } finally {
    await handle.close();
  }
}
