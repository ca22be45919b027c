import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Longest wait for a file to become visible on a network file system. */
export const VISIBLE_WITHIN_MS = 60_000;

export type Sleep = (ms: number) => Promise<void>;
const sleepFor: Sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Reads a file that another machine may just have written. Retries ENOENT for up to `VISIBLE_WITHIN_MS`. */
export async function readVisible(path: string, sleep: Sleep = sleepFor): Promise<Buffer> {
  for (let waited = 0, pause = 100; ; pause = Math.min(pause * 2, 5000)) {
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || waited >= VISIBLE_WITHIN_MS) throw error;
      // Listing the folder makes an NFS client drop its cached "no such file".
      await readdir(dirname(path)).catch(() => []);
      await sleep(pause);
      waited += pause;
    }
  }
}

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Returns SHA-256 and size of a file. With `sync`, flushes the file to disk first. */
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
