import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { BGZF_END, bgzfBlock, bgzfFastq, fastq } from '../../../test-support/sequences.ts';
import { placeIn } from '../../storage/inside-storage.ts';
import { checkContent } from './check-content.ts';
import { createQueue } from './check-queue.ts';
import { checkGzip } from './gzip.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-gzip-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const NAME = 'S1.fastq.gz';
/** Returns the code of the rejection, or undefined when the file is accepted. */
async function check(bytes: Buffer): Promise<string | undefined> {
  writeFileSync(join(folder, NAME), bytes);
  try {
    await checkContent(placeIn(folder, NAME), NAME, 'fastq');
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('a gzip FASTQ', () => {
  test('of blocks across several chunks is accepted', async () => {
    expect(await check(bgzfFastq(2_000, 200))).toBeUndefined();
  });

  test('with a damaged first block is rejected as damaged', async () => {
    const block = bgzfBlock(fastq(20));
    block.fill(0xff, 18, block.length - 8);
    expect(await check(Buffer.concat([block, bgzfBlock(fastq(20)), BGZF_END]))).toBe('gzip_damaged');
  });

  test('that ends within a block, or has a block that is too short, is rejected', async () => {
    const whole = bgzfFastq(50);
    expect(await check(whole.subarray(0, whole.length - 28 - 10))).toBe('gzip_truncated');
    const short = bgzfBlock(fastq(20));
    short.writeUInt16LE(19, 16);
    expect(await check(Buffer.concat([short, BGZF_END]))).toBe('gzip_damaged');
  });

  test('that unpacks to far more than reads can is rejected before its end', async () => {
    const record = fastq(1);
    expect(await check(gzipSync(Buffer.concat([record, Buffer.alloc(200 * 1024 ** 2, 'A')])))).toBe('gzip_ratio');
    const dense = bgzfBlock(Buffer.concat([record, Buffer.alloc(65_000 - record.length, 'A')]));
    expect(await check(Buffer.concat([...Array.from({ length: 2_000 }, () => dense), BGZF_END]))).toBe('gzip_ratio');
  });

  test('of millions of blocks is read in large chunks, between which other work runs', async () => {
    const blocks = Buffer.concat([bgzfBlock(fastq(1)), ...Array.from({ length: 2_000_000 }, () => BGZF_END)]);
    const path = join(folder, NAME);
    writeFileSync(path, blocks);
    const file = await open(path);
    const read = jest.spyOn(file, 'read');
    await checkGzip(file, NAME, blocks.length);
    const reads = read.mock.calls.length;
    await file.close();
    // 56 MB in chunks of 1 MiB, plus the first header and the last block. Each chunk leaves its last block to the next.
    expect(reads).toBeGreaterThan(53);
    expect(reads).toBeLessThan(64);
  });
});

test('a queue of 2 runs two at once and the rest in their order, also after a failure', async () => {
  const queue = createQueue(2);
  const order: string[] = [];
  let running = 0;
  let most = 0;
  const work = (name: string) =>
    queue(async () => {
      most = Math.max(most, ++running);
      order.push(name);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      if (name === 'b') throw new Error(name);
    });
  const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(work));
  expect(most).toBe(2);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
});
