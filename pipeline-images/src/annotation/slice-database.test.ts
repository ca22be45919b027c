import { expect, test } from '@jest/globals';
import { parseTranscript } from '../genome/transcripts-table.ts';
import { isWithin, onSlice, sliceGenes } from './slice-database.ts';

const transcript = (chrom: string, start: number, end: number) =>
  parseTranscript(`${chrom}\t${start}\t${end}\tT\tG\t+\tprotein_coding\t0\t0\t${start}-${end}\t${start + 3}-${end}/0`);

test('overlapping genes share a slice, and a slice ends at the end of its contig', () => {
  const genes = [
    transcript('a', 300, 900),
    transcript('a', 850, 2000),
    transcript('a', 9000, 9500),
    transcript('b', 700, 800),
  ];
  expect(sliceGenes(genes, () => 9600)).toEqual([
    { name: 's1', chrom: 'a', start: 1, end: 2500 },
    { name: 's2', chrom: 'a', start: 8500, end: 9600 },
    { name: 's3', chrom: 'b', start: 200, end: 1300 },
  ]);
});

test('a transcript keeps its parts and phases in the coordinates of its slice', () => {
  const slice = { name: 's1', chrom: 'a', start: 201, end: 2000 };
  const t = transcript('a', 301, 900);
  expect(isWithin(t, slice)).toBe(true);
  expect(onSlice(t, slice)).toMatchObject({
    chrom: 's1',
    start: 101,
    end: 700,
    exons: [{ start: 101, end: 700 }],
    cds: [{ start: 104, end: 700, phase: 0 }],
  });
});
