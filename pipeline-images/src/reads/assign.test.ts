import { Assigner } from './assign.ts';
import { CIGAR_LETTERS, FLAG, SamRecord } from './sam-record.ts';
import type { Target } from './target.ts';

const target = (index: number, start: number, primers = true): Target => ({
  index,
  name: `A${index}`,
  chrom: 'c1',
  start,
  end: start + 199,
  insertStart: primers ? start + 20 : start,
  insertEnd: primers ? start + 179 : start + 199,
  primers,
  window: '',
  windowStart: 1,
  codes: new Uint8Array(0),
  offset: 0,
});

function read(pos: number, cigar: string, reverse = false, chrom = 'c1'): SamRecord {
  const record = new SamRecord();
  record.chrom = chrom;
  record.pos = pos;
  record.cigar = [...cigar.matchAll(/(\d+)([MIDS])/g)].map(
    ([, n, op]) => (Number(n) << 4) | CIGAR_LETTERS.indexOf(op!),
  );
  record.refEnd = pos + [...cigar.matchAll(/(\d+)[MD]/g)].reduce((sum, [, n]) => sum + Number(n), 0) - 1;
  record.flag = reverse ? FLAG.reverse : 0;
  return record;
}

// Two overlapping tiles of one pool, as in amplicon panels.
const tiles = new Assigner([target(0, 1000), target(1, 1150)]);
const kind = (...reads: SamRecord[]): string => {
  const found = tiles.assign(reads);
  return found.kind === 'amplicon' ? found.targets.map(({ name }) => name).join() : found.kind;
};

test('assigns a fragment to the amplicon whose primers match its ends, also when the ends are short or clipped', () => {
  expect(kind(read(1000, '120M'), read(1080, '120M', true))).toBe('A0');
  expect(kind(read(1153, '120M'), read(1232, '118M', true))).toBe('A1');
  expect(kind(read(1004, '4S116M'), read(1080, '116M4S', true))).toBe('A0');
});

test('one matching end is enough when the rest is inside that amplicon', () => {
  expect(kind(read(1150, '120M'), read(1230, '90M', true))).toBe('A1');
  expect(kind(read(1000, '120M'))).toBe('A0');
  expect(kind(read(1000, '320M'))).toBe('off-target');
});

test('ends of two amplicons make a chimera, ends of none are off target, primers without insert a dimer', () => {
  expect(kind(read(1000, '120M'), read(1230, '120M', true))).toBe('chimera');
  expect(kind(read(500, '120M'), read(600, '120M', true))).toBe('off-target');
  expect(kind(read(1000, '120M', false, 'c2'), read(1080, '120M', true, 'c2'))).toBe('off-target');
  expect(kind(read(1000, '20M'), read(1181, '19M', true))).toBe('dimer');
});

test('without primers, a fragment counts for every target it overlaps', () => {
  const open = new Assigner([target(0, 1000, false), target(1, 1200, false), target(2, 3000, false)]);
  const found = open.assign([read(1150, '100M'), read(1250, '100M', true)]);
  expect(found.targets.map(({ name }) => name)).toEqual(['A0', 'A1']);
});
