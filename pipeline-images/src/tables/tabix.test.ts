import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { binOf } from './tabix.ts';
import { writeZipped } from './write-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'seqpanel-tabix-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (tool: string, ...args: string[]): string => execFileSync(tool, args).toString();

/** 60,000 positions on two contigs, enough for several blocks and bins. */
const rows = ['chr7', 'chr17'].flatMap((chrom) =>
  Array.from({ length: 30_000 }, (_, i) => `${chrom}\t${1_000_000 + i * 37}\t${'ACGT'[i % 4]}\tvalue${i}`),
);

test('tabix finds every region of a file through our index', async () => {
  const path = join(folder, 'positions.tsv.gz');
  await writeZipped(path, `#chrom\tpos\tref\tvalue\n${rows.join('\n')}\n`, { chrom: 1, start: 2, end: 2 });
  expect(run('tabix', path, 'chr17:1000000-1000000')).toBe(`${rows[30_000]}\n`);
  for (const [from, to] of [
    [1_000_001, 1_000_400],
    [1_500_000, 1_501_000],
    [2_109_900, 2_200_000],
  ] as const) {
    const expected = rows.filter((row) => {
      const [chrom, pos] = row.split('\t');
      return chrom === 'chr7' && Number(pos) >= from && Number(pos) <= to;
    });
    expect(run('tabix', path, `chr7:${from}-${to}`).trim().split('\n').filter(Boolean)).toEqual(expected);
  }
  expect(run('tabix', '-l', path)).toBe('chr7\nchr17\n');
});

test('bgzip and gunzip read a written file, also an empty table', async () => {
  const path = join(folder, 'empty.tsv.gz');
  await writeZipped(path, '#a\tb\tc\n', { chrom: 1, start: 2, end: 2 });
  expect(gunzipSync(readFileSync(path)).toString()).toBe('#a\tb\tc\n');
  expect(run('bgzip', '-dc', path)).toBe('#a\tb\tc\n');
  expect(run('tabix', '-l', path)).toBe('');
});

test('bcftools queries a VCF through our index, long deletions by their end', async () => {
  const path = join(folder, 'calls.vcf.gz');
  const head = '##fileformat=VCFv4.2\n##contig=<ID=1,length=100000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n';
  await writeZipped(path, `${head}1\t100\t.\tACGTACGTAC\tA\t.\t.\t.\n1\t300\t.\tA\tC\t.\t.\t.\n`, {
    chrom: 1,
    start: 2,
    end: 2,
    preset: 'vcf',
  });
  expect(run('bcftools', 'query', '-f', '%POS\n', '-r', '1:105-105', path)).toBe('100\n');
  expect(run('bcftools', 'query', '-f', '%POS\n', '-r', '1:200-400', path)).toBe('300\n');
});

test('a region gets the smallest bin that contains it', () => {
  expect([binOf(0, 1), binOf(16_383, 16_385), binOf(0, 1 << 29)]).toEqual([4681, 585, 0]);
});
