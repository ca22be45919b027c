/** Reads the end of a log without reading the rest. */

import { openToRead, type StoragePlace } from '../storage/inside-storage.ts';

const TAIL_CHUNK = 64 * 1024;
/** Longest tail in bytes, for logs without line ends or with very long lines. */
export const MAX_TAIL_BYTES = 8 * 1024 * 1024;

/**
 * Returns the last `lines` lines of a text file, at most `most` bytes, and the byte they begin at. Reads nothing before
 * them. A truncated tail begins at a line start if it contains one.
 */
export async function tailOf(
  file: StoragePlace,
  lines: number,
  most = MAX_TAIL_BYTES,
): Promise<{ offset: number; text: Buffer }> {
  const handle = await openToRead(file);
  try {
    const { size } = await handle.stat();
    const least = Math.max(0, size - most);
    const chunks: Buffer[] = [];
    let earliest: number | undefined; // start of the first line found so far
    let found = 0;
    for (let at = size; at > least && found < lines; ) {
      const length = Math.min(TAIL_CHUNK, at - least);
      at -= length;
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
      if (bytesRead < length) throw new Error(`${file.path} shrank while it was read`);
      chunks.push(buffer);
      for (let i = length - 1; i >= 0 && found < lines; i--) {
        // The newline at the end of the file ends the last line and begins no other.
        if (buffer[i] !== 0x0a || at + i === size - 1) continue;
        found++;
        earliest = at + i + 1;
      }
    }
    const offset = found < lines && least === 0 ? 0 : (earliest ?? least);
    const text = Buffer.concat(chunks.reverse());
    return { offset, text: text.subarray(text.length - (size - offset)) };
  } finally {
    await handle.close();
  }
}
