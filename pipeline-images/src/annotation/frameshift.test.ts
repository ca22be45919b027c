import { expect, test } from '@jest/globals';
import type { Transcript } from '../genome/transcript.ts';
import { codingStretches, frameshiftName, translate } from './frameshift.ts';

const COMPLEMENT: Record<string, string> = { A: 'T', C: 'G', G: 'C', T: 'A' };
const reverse = (text: string): string =>
  [...text]
    .reverse()
    .map((b) => COMPLEMENT[b]!)
    .join('');

// ATG GAA TTC CTA AGC TGA, then a 3' UTR. The second exon begins after the first eight coding bases.
const sense = 'ATGGAATTgtagCCTAAGCTGACCATAGCC'.toUpperCase();
const plus: Transcript = {
  id: 'T',
  gene: 'G',
  chrom: 'c',
  start: 101,
  end: 130,
  strand: '+',
  biotype: 'protein_coding',
  mane: false,
  exons: [
    { start: 101, end: 108 },
    { start: 113, end: 130 },
  ],
  cds: [
    { start: 101, end: 108 },
    { start: 113, end: 122 },
  ],
};
const flip = ({ start, end }: { start: number; end: number }) => ({ start: 231 - end, end: 231 - start });
const minus: Transcript = {
  ...plus,
  strand: '-',
  exons: plus.exons.map(flip).reverse(),
  cds: plus.cds.map(flip).reverse(),
};

const nameOf = (t: Transcript, contig: string, allele: { pos: number; ref: string; alt: string }) => {
  const stretches = codingStretches(t);
  return frameshiftName(
    t,
    allele,
    stretches,
    stretches.map(({ start, end }) => contig.slice(start - 101, end - 100)),
  );
};

test('codons are translated', () => {
  expect(translate('ATGGAATTCCTAAGCTGANNN')).toBe('MEFLS*X');
});

test('a deleted base gives the first changed amino acid, the new one and the distance to the new stop', () => {
  // ATG GAT TCC TAA
  expect(nameOf(plus, sense, { pos: 105, ref: 'AA', alt: 'A' })).toBe('p.Glu2AspfsTer3');
});

test('a gene on the reverse strand gets the same name', () => {
  expect(nameOf(minus, reverse(sense), { pos: 125, ref: 'TT', alt: 'T' })).toBe('p.Glu2AspfsTer3');
});

test('an inserted base that creates a stop codon at once is a stop', () => {
  // ATG TGA
  expect(nameOf(plus, sense, { pos: 103, ref: 'G', alt: 'GT' })).toBe('p.Glu2Ter');
});

test('a frame is followed into the 3′ UTR, and one without a stop gets no full name', () => {
  // ... CTA AGC TGA|CCATAGCC without the A of AGC: CTA GCT GAC CAT AGC C
  expect(nameOf(plus, sense, { pos: 116, ref: 'AA', alt: 'A' })).toBe('p.Ser5AlafsTer?');
});

test('an allele across the end of an exon gets no full name', () => {
  expect(nameOf(plus, sense, { pos: 107, ref: 'TTGTA', alt: 'T' })).toBeUndefined();
});
