/** The end of a log, of which nothing else is read. */

import { openToRead, type StoragePlace } from '../storage/inside-storage.ts';

const TAIL_CHUNK = 64 * 1024;
/** A log without line ends, or with very long lines, is cut here. Bytes. */
export const MAX_TAIL_BYTES = 8 * 1024 * 1024;

/**
 * The last `lines` lines of a text file and the byte they begin at, of at most `most` bytes. What lies before is never
 * read. Text that is cut begins at a line where it has a whole one.
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
    let earliest: number | undefined; // of the lines that are found, where the first one begins
    let found = 0;
    for (let at = size; at > least && found < lines; ) {
      const length = Math.min(TAIL_CHUNK, at - least);
      at -= length;
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
      if (bytesRead < length) throw new Error(`${file.path} became shorter while it was read`);
      chunks.push(buffer);
      for (let i = length - 1; i >= 0 && found < lines; i--) {
        // The newline that ends the file ends its last line, it does not begin another.
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
