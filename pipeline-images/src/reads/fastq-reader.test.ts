import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FastqReader } from './fastq-reader.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-fastq-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function recordsOf(content: Buffer): Promise<number> {
  writeFileSync(join(folder, 'x'), content);
  const reader = await FastqReader.open(folder, { name: 'S1_R1.fastq.gz', path: 'x' } as never);
  try {
    while (await reader.advance());
    return reader.records;
  } finally {
    reader.close();
  }
}

const RECORD = `@r\n${'A'.repeat(1_000)}\n+\n${'F'.repeat(1_000)}\n`;
const records = (n: number): Buffer => Buffer.from(RECORD.repeat(n));

test('rejects a gzip FASTQ that unpacks to more than 100 times its size', async () => {
  await expect(recordsOf(gzipSync(records(80_000)))).rejects.toMatchObject({
    name: 'BadInput',
    code: 'gzip_ratio',
    message: 'S1_R1.fastq.gz: unpacks to more than 100 times its size',
  });
});

test('reads a small file of that kind and a plain one completely', async () => {
  expect(await recordsOf(gzipSync(records(10_000)))).toBe(10_000);
  expect(await recordsOf(records(80_000))).toBe(80_000);
});
