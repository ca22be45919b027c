/** Reads pieces of a file for the content checks. */
import type { FileHandle } from 'node:fs/promises';
import { createGunzip, inflateRawSync } from 'node:zlib';

export async function readPart(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

export const isGzip = (head: Buffer): boolean =>
  head.length >= 3 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;

/** Returns the size in bytes of the BGZF block that begins with `header` (18 bytes), or undefined when none does. */
export function bgzfBlockSize(header: Buffer): number | undefined {
  if (header.length < 18 || !isGzip(header) || header[3] !== 4) return undefined;
  if (header[12] !== 0x42 || header[13] !== 0x43 || header.readUInt16LE(14) !== 2) return undefined; // extra field BC
  return header.readUInt16LE(16) + 1;
}

/** Returns the content of one whole BGZF block. Throws when it does not inflate. */
export function inflateBlock(block: Buffer): Buffer {
  return inflateRawSync(block.subarray(18, block.length - 8), { maxOutputLength: 65_536 });
}

/** Returns the first unpacked bytes of `head`, the beginning of a gzip file. */
export function inflateHead(head: Buffer, atMost: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const gunzip = createGunzip();
    const finish = () => {
      gunzip.destroy();
      resolve(Buffer.concat(parts).subarray(0, atMost));
    };
    gunzip.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length >= atMost) finish();
    });
    gunzip.on('end', finish);
    // The head is truncated on purpose, so the output before the error is the result.
    gunzip.on('error', (error) => (length > 0 ? finish() : reject(error)));
    gunzip.end(head);
  });
}
