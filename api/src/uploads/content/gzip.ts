/** Checks that a gzip file is complete when it is uploaded, instead of hours later in a run. */
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { MAX_FASTQ_RATIO, unpackedLimit } from '@seqpanel/crds/fastq-limits.ts';
import { Invalid } from '../../errors.ts';
import { createQueue } from './check-queue.ts';
import { bgzfBlockSize, inflateBlock, isGzip, readPart } from './read-part.ts';

const HEADER_BYTES = 18;
const MAX_BLOCK_BYTES = 65_536;
/** Reads blocks in chunks of this size, so that other work runs in between. */
const CHUNK_BYTES = 1 << 20;
/** Unpacking occupies one of libuv's four threads, which files, DNS and password hashes share. */
const CHECKS_AT_ONCE = 2;
const queue = createQueue(CHECKS_AT_ONCE);

/**
 * Throws gzip_invalid, gzip_truncated, gzip_damaged or gzip_ratio. Block files (BGZF, from sequencers and bgzip) are
 * checked by their chain of blocks and the content of the last one, at reading speed. Other files are unpacked
 * completely, which takes about 1 s per 80 MB, or up to the size limit.
 */
export async function checkGzip(file: FileHandle, name: string, size: number): Promise<void> {
  const head = await readPart(file, 0, HEADER_BYTES);
  if (!isGzip(head)) throw new Invalid('gzip_invalid', { file: name });
  await queue(async () => {
    if (bgzfBlockSize(head) === undefined || !(await checkBlocks(file, name, size))) await unpack(file, name, size);
  });
}

const ratioExceeded = (name: string): Invalid => new Invalid('gzip_ratio', { file: name, ratio: MAX_FASTQ_RATIO });

/** Returns false when the file does not consist of blocks throughout. */
async function checkBlocks(file: FileHandle, name: string, size: number): Promise<boolean> {
  const limit = unpackedLimit(size);
  let chunk: Buffer = Buffer.alloc(0);
  let begin = 0;
  let position = 0;
  let unpacked = 0;
  let last = { position: 0, size: 0 };
  while (position < size) {
    const isWhole = position + MAX_BLOCK_BYTES <= begin + chunk.length || begin + chunk.length >= size;
    if (!isWhole || chunk.length === 0) {
      chunk = await readPart(file, position, CHUNK_BYTES);
      begin = position;
    }
    const at = position - begin;
    if (chunk.length - at < HEADER_BYTES) throw new Invalid('gzip_truncated', { file: name });
    const length = bgzfBlockSize(chunk.subarray(at, at + HEADER_BYTES));
    if (length === undefined) return false;
    if (length < HEADER_BYTES + 8) throw new Invalid('gzip_damaged', { file: name, reason: 'a block has no content' });
    if (at + length > chunk.length) throw new Invalid('gzip_truncated', { file: name });
    unpacked += chunk.readUInt32LE(at + length - 4);
    if (unpacked > limit) throw ratioExceeded(name);
    if (length > 28 || position === 0) last = { position, size: length }; // 28: the empty block that ends the file
    position += length;
  }
  try {
    const content = inflateBlock(await readPart(file, last.position, last.size));
    if (content.length > 0 && content.at(-1) !== 0x0a) throw new Invalid('gzip_truncated', { file: name });
  } catch (error) {
    throw error instanceof Invalid ? error : gzipProblem(error, name);
  }
  return true;
}

async function unpack(file: FileHandle, name: string, size: number): Promise<void> {
  const limit = unpackedLimit(size);
  try {
    await pipeline(
      file.createReadStream({ start: 0, highWaterMark: CHUNK_BYTES, autoClose: false }),
      createGunzip({ chunkSize: 256 * 1024 }),
      async (parts: AsyncIterable<Buffer>) => {
        let unpacked = 0;
        for await (const part of parts) {
          unpacked += part.length;
          if (unpacked > limit) throw ratioExceeded(name);
        }
      },
    );
  } catch (error) {
    throw gzipProblem(error, name);
  }
}

/** Converts an error of zlib to the rejection of the file and returns other errors unchanged. */
export function gzipProblem(error: unknown, name: string): unknown {
  const { code, message } = error as { code?: string; message: string };
  if (code === 'Z_BUF_ERROR') return new Invalid('gzip_truncated', { file: name }, { cause: error });
  if (code?.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE')
    return new Invalid('gzip_damaged', { file: name, reason: message }, { cause: error });
  return error;
}
