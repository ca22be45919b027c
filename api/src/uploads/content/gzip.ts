/** Is a gzip file whole? A cut one is found here, not hours later in a run. */
import { readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { Invalid } from '../../errors.ts';
import { bgzfBlockSize, inflateBlock, isGzip, readPart } from './read-part.ts';

/** Blocks are at most 64 KiB, so a 2 GB file has some 100,000: they are walked in turns, to let others in between. */
const BLOCKS_PER_TURN = 2_000;

/**
 * Throws gzip_invalid, gzip_truncated or gzip_damaged. Files in blocks (BGZF: what sequencers and bgzip write) are
 * checked by their chain of blocks and the last one's content, in under a second; any other is unpacked to its end,
 * which takes about 1 s for each 80 MB. The unpacked bytes go nowhere, so a file that unpacks to much costs time only.
 */
export async function checkGzip(file: FileHandle, name: string, size: number): Promise<void> {
  const head = await readPart(file, 0, 18);
  if (!isGzip(head)) throw new Invalid('gzip_invalid', { file: name });
  if (bgzfBlockSize(head) === undefined || !(await checkBlocks(file, name, size))) await unpack(file, name);
}

/** False when the file turns out not to be in blocks throughout. */
async function checkBlocks(file: FileHandle, name: string, size: number): Promise<boolean> {
  const header = Buffer.alloc(18);
  let position = 0;
  let last = { position: 0, size: 0 };
  for (let n = 1; position < size; n++) {
    const read = readSync(file.fd, header, 0, 18, position);
    if (read < 18) throw new Invalid('gzip_truncated', { file: name });
    const length = bgzfBlockSize(header);
    if (length === undefined) return false;
    if (position + length > size) throw new Invalid('gzip_truncated', { file: name });
    if (length > 28 || position === 0) last = { position, size: length }; // 28: the empty block that ends the file
    position += length;
    if (n % BLOCKS_PER_TURN === 0) await setImmediate();
  }
  try {
    const content = inflateBlock(await readPart(file, last.position, last.size));
    if (content.length > 0 && content.at(-1) !== 0x0a) throw new Invalid('gzip_truncated', { file: name });
  } catch (error) {
    if (error instanceof Invalid) throw error;
    throw new Invalid('gzip_damaged', { file: name, reason: (error as Error).message }, { cause: error });
  }
  return true;
}

async function unpack(file: FileHandle, name: string): Promise<void> {
  try {
    await pipeline(
      file.createReadStream({ start: 0, highWaterMark: 1 << 20, autoClose: false }),
      createGunzip({ chunkSize: 256 * 1024 }),
      async (unpacked: AsyncIterable<Buffer>) => {
        for await (const _ of unpacked);
      },
    );
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === 'Z_BUF_ERROR') throw new Invalid('gzip_truncated', { file: name }, { cause: error });
    if (code?.startsWith('Z_')) throw new Invalid('gzip_damaged', { file: name, reason: message }, { cause: error });
    throw error;
  }
}
