import type { SampleRow } from '../runner/frozen.ts';
import { carryoverLines, checkLines, pairLines } from './identity.ts';
import { contactOf, parseWell } from './neighbours.ts';
import type { RunSample, SampleAllele } from './run-alleles.ts';

const row = (sample: string, more: Partial<SampleRow> = {}): SampleRow => ({
  index: 0,
  sample,
  libraryId: sample,
  qcType: 'Sample',
  role: 'germline',
  cnvNormal: false,
  files: [],
  ...more,
});

/** A sample with alleles by position and frequency, at depth 200. */
function sample(name: string, vafs: Record<number, number>, more: Partial<SampleRow> = {}): RunSample {
  const alleles = new Map<string, SampleAllele>();
  for (const [pos, vaf] of Object.entries(vafs))
    alleles.set(pos, {
      key: pos,
      chrom: 'c1',
      pos: Number(pos),
      ref: 'A',
      alt: 'C',
      type: 'SNV',
      altFragments: Math.round(vaf * 200),
      depth: 200,
      vaf,
    });
  return { row: row(name, more), alleles };
}

const deep = () => 200;
const inherited = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [i + 1, i % 3 === 0 ? 1 : 0.5]));
const others = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [i + 101, 0.5]));

test('a pair of one person matches, a swapped one does not, and one without its normal is incomplete', () => {
  const samples = [
    sample('T', { ...inherited, 50: 0.1 }, { role: 'tumor' }),
    sample('N', inherited, { role: 'normal' }),
    sample('X', others, { role: 'normal' }),
  ];
  const pairs = [
    { name: 'p1', tumor: 'T', normal: 'N' },
    { name: 'p2', tumor: 'T', normal: 'X' },
    { name: 'p3', tumor: 'T', normal: 'gone' },
  ];
  expect(pairLines(pairs, samples, deep)).toEqual([
    'p1\tT\tN\t12\t1.0000\tmatch',
    'p2\tT\tX\t12\t0.0000\tmismatch',
    'p3\tT\tgone\t.\t.\tpair_incomplete',
  ]);
});

test('reports the same person under two names, but not the two samples of a pair', () => {
  const samples = [sample('A', inherited), sample('B', inherited), sample('C', others)];
  const verdicts = (pairs: Parameters<typeof checkLines>[1]) =>
    checkLines(samples, pairs, deep, new Map()).map((line) => {
      const cells = line.split('\t');
      return [cells[0], cells[4], cells.at(-1)];
    });
  expect(verdicts([])).toEqual([
    ['A', 'B', 'warn'],
    ['B', 'A', 'warn'],
    // Without homozygous sites contamination cannot be estimated.
    ['C', '.', '.'],
  ]);
  expect(verdicts([{ name: 'p', tumor: 'A', normal: 'B' }])[0]).toEqual(['A', '.', 'pass']);
});

test('traces of a neighbour are carry-over, reported with how they could have been transferred', () => {
  const traces = Object.fromEntries(Object.keys(others).map((pos) => [pos, 0.015]));
  const samples = [
    sample('From', others, { well: 'A01' }),
    sample('To', { ...inherited, ...traces }, { well: 'B02' }),
    sample('Far', inherited, { well: 'H12' }),
  ];
  expect(carryoverLines(samples, deep)).toEqual(['From\tTo\twell\t12\t12\t0.0300\twarn']);
});

test('adjacent wells and shared indexes are contacts', () => {
  expect([parseWell('A01'), parseWell('A1'), parseWell('P24'), parseWell('Q1'), parseWell(undefined)]).toEqual([
    { row: 0, column: 0 },
    { row: 0, column: 0 },
    { row: 15, column: 23 },
    undefined,
    undefined,
  ]);
  expect(contactOf(row('a', { well: 'A1' }), row('b', { well: 'A3' }))).toBeUndefined();
  expect(contactOf(row('a', { well: 'A1', i7: 'N701' }), row('b', { well: 'H9', i7: 'N701' }))).toBe('i7');
});
