import {
  Counts,
  DEPTH_READS,
  DISCORDANT,
  LOW_QUALITY,
  SYMBOL_DEL,
  SYMBOL_INS,
  SYMBOL_N,
  SYMBOLS,
  WIDTH,
} from './counts.ts';
import { FragmentCounter } from './fragment.ts';
import { allelesOf } from './haplotypes.ts';
import { SamRecord } from './sam-record.ts';
import { BASE_CODE, type Target } from './target.ts';

//             1000      1010      1020      1030
const insert = 'ACGTTGCAAGCTTAGGCATCCATGGTCAACGTTAGCCTAG';
const flank = 'TTGACCATGA';
const target: Target = {
  index: 0,
  name: 'A',
  chrom: 'c1',
  start: 990,
  end: 1049,
  insertStart: 1000,
  insertEnd: 1039,
  primers: true,
  window: flank + insert + flank,
  windowStart: 990,
  codes: Uint8Array.from(insert, (base) => BASE_CODE[base.charCodeAt(0)]!),
  offset: 0,
};

function record(flag: number, pos: number, cigar: string, seq: string, quality = 'I'.repeat(seq.length)): SamRecord {
  const line = Buffer.from(`r\t${flag}\tc1\t${pos}\t60\t${cigar}\t=\t${pos}\t0\t${seq}\t${quality}`);
  const read = new SamRecord();
  read.parse(line, 0, line.length, new Map());
  return read;
}
const bases = (from: number, to: number): string => insert.slice(from - 1000, to - 999);
const put = (sequence: string, at: number, base: string): string =>
  sequence.slice(0, at) + base + sequence.slice(at + 1);

function counting() {
  const counts = new Counts([target]);
  const counter = new FragmentCounter(counts, { minMapq: 1, minBaseq: 20 });
  const cell = (pos: number, column: number): number => counts.bases[(pos - 1000) * WIDTH + column]!;
  const alleles = () =>
    allelesOf(counts, target).map(({ pos, ref, alt, count, atoms }) => [
      `${pos}${ref}>${alt}`,
      count.forward,
      count.reverse,
      atoms.length,
    ]);
  return { counts, counter, cell, alleles };
}

test('overlapping mates count once, on the strand of R1', () => {
  const { counter, cell } = counting();
  counter.add(target, [record(99, 1000, '30M', bases(1000, 1029)), record(147, 1010, '30M', bases(1010, 1039))]);
  counter.add(target, [record(83, 1010, '30M', bases(1010, 1039)), record(163, 1000, '30M', bases(1000, 1029))]);
  // 1015 is G.
  expect([cell(1015, 2), cell(1015, SYMBOLS + 2), cell(1015, DEPTH_READS)]).toEqual([1, 1, 4]);
  expect([cell(1002, 2), cell(1002, DEPTH_READS)]).toEqual([1, 2]);
});

test('mates that disagree count as N, and a base of low quality is ignored', () => {
  const { counter, cell, alleles } = counting();
  const wrong = put(bases(1010, 1039), 5, 'T');
  counter.add(target, [record(99, 1000, '30M', bases(1000, 1029)), record(147, 1010, '30M', wrong)]);
  expect([cell(1015, SYMBOL_N), cell(1015, DISCORDANT), cell(1015, 2)]).toEqual([1, 1, 0]);
  const low = put('I'.repeat(30), 5, '#');
  counter.add(target, [record(99, 1000, '30M', bases(1000, 1029)), record(147, 1010, '30M', wrong, low)]);
  expect([cell(1015, SYMBOL_N), cell(1015, 2)]).toEqual([1, 1]);
  counter.add(target, [record(147, 1010, '30M', wrong, low)]);
  expect(cell(1015, LOW_QUALITY)).toBe(1);
  expect(alleles()).toEqual([]);
});

test('changes within 2 bp on one fragment are one MNV, changes farther apart are two', () => {
  const { counter, alleles } = counting();
  const near = put(put(bases(1000, 1039), 10, 'A'), 12, 'A');
  const far = put(put(bases(1000, 1039), 20, 'G'), 23, 'C');
  for (let i = 0; i < 3; i++) counter.add(target, [record(99, 1000, '40M', near)]);
  for (let i = 0; i < 2; i++) counter.add(target, [record(99, 1000, '40M', far)]);
  expect(alleles()).toEqual([
    ['1010CTT>ATA', 3, 0, 2],
    ['1020C>G', 2, 0, 1],
    ['1023G>C', 2, 0, 1],
  ]);
});

test('two changes that coincide by chance are counted separately', () => {
  const { counter, alleles } = counting();
  const one = put(bases(1000, 1039), 10, 'A');
  const other = put(bases(1000, 1039), 12, 'A');
  const both = put(one, 12, 'A');
  for (const [sequence, n] of [
    [one, 6],
    [other, 5],
    [both, 1],
  ] as const)
    for (let i = 0; i < n; i++) counter.add(target, [record(99, 1000, '40M', sequence)]);
  expect(alleles()).toEqual([
    ['1010C>A', 7, 0, 1],
    ['1012T>A', 6, 0, 1],
  ]);
});

test('half of an MNV beside an unknown base counts for the MNV', () => {
  const { counter, alleles } = counting();
  const both = put(put(bases(1000, 1039), 10, 'A'), 12, 'A');
  for (let i = 0; i < 4; i++) counter.add(target, [record(99, 1000, '40M', both)]);
  counter.add(target, [record(99, 1000, '40M', both, put('I'.repeat(40), 12, '#'))]);
  expect(alleles()).toEqual([['1010CTT>ATA', 5, 0, 2]]);
});

test('indels are counted per fragment, at their anchor and at every deleted base', () => {
  const { counter, cell, alleles } = counting();
  const without = bases(1000, 1009) + bases(1013, 1039);
  counter.add(target, [record(99, 1000, '10M3D27M', without)]);
  counter.add(target, [record(83, 1000, '20M2I20M', `${bases(1000, 1019)}TT${bases(1020, 1039)}`)]);
  expect([cell(1010, SYMBOL_DEL), cell(1012, SYMBOL_DEL), cell(1013, SYMBOL_DEL)]).toEqual([1, 1, 0]);
  expect(cell(1019, SYMBOLS + SYMBOL_INS)).toBe(1);
  expect(alleles().map(([text]) => text)).toEqual(['1009GCTT>G', '1019C>CTT']);
});

test('a mate that ends beside an indel does not contradict it, one that extends well past it does', () => {
  const deleted = bases(1000, 1014) + bases(1017, 1039);
  const short = counting();
  short.counter.add(target, [record(99, 1000, '15M2D23M', deleted), record(147, 1000, '19M', bases(1000, 1018))]);
  expect([short.cell(1015, SYMBOL_DEL), short.cell(1015, SYMBOL_N)]).toEqual([1, 0]);
  const long = counting();
  long.counter.add(target, [record(99, 1000, '15M2D23M', deleted), record(147, 1000, '40M', bases(1000, 1039))]);
  expect([long.cell(1015, SYMBOL_DEL), long.cell(1015, SYMBOL_N)]).toEqual([0, 1]);
  expect(long.alleles()).toEqual([]);
});
