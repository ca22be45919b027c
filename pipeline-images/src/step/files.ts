import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How long a file of the task's folder may take to become visible on a network file system. */
export const VISIBLE_WITHIN_MS = 60_000;

export type Sleep = (ms: number) => Promise<void>;
const sleepFor: Sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Reads a file that another machine has just written; ENOENT is retried for `VISIBLE_WITHIN_MS`. */
export async function readVisible(path: string, sleep: Sleep = sleepFor): Promise<Buffer> {
  for (let waited = 0, pause = 100; ; pause = Math.min(pause * 2, 5000)) {
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || waited >= VISIBLE_WITHIN_MS) throw error;
      // Listing the folder makes an NFS client drop what it remembers about the missing name.
      await readdir(dirname(path)).catch(() => []);
      await sleep(pause);
      waited += pause;
    }
  }
}

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** SHA-256 and size of a file; with `sync` its bytes are on the disk when this returns. */
export async function hashFile(path: string, sync = false): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(1 << 20);
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    let size = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
      size += bytesRead;
    }
    if (sync) await handle.datasync();
    return { sha256: hash.digest('hex'), size };
  } finally {
    await handle?.close();
  }
}
