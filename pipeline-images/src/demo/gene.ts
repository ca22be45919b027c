/** Synthetic genes: exons without stop codons in frame, introns from GT to AG. */

import { isStop, wouldRun } from './bases.ts';
import type { Random } from './random.ts';

const BASES = ['A', 'C', 'G', 'T'] as const;
const UTR = { five: 40, three: 80 } as const;

/** A gene in the direction of its transcript. Positions are 0-based offsets into `sense`, ends excluded. */
export interface GeneSequence {
  name: string;
  sense: string;
  exons: { start: number; end: number }[];
  /** Offsets of the first base of the start codon and of the base after the stop codon. */
  cds: { start: number; end: number };
}

/** Returns random bases without long runs, to follow `before`. */
export function randomBases(random: Random, length: number, before = ''): string {
  let text = before.slice(-8);
  const skip = text.length;
  while (text.length < skip + length) {
    const base = random.pick(BASES);
    if (!wouldRun(text, base)) text += base;
  }
  return text.slice(skip);
}

/** Returns ATG, random codons without stops, and a stop codon. */
function codingSequence(random: Random, codons: number): string {
  let text = 'ATG';
  while (text.length < 3 * (codons - 1)) {
    const codon = randomBases(random, 3, text);
    if (!isStop(codon)) text += codon;
  }
  return `${text}TAA`;
}

/** Returns a gene of `exonCodons.length` exons with about the given numbers of codons. */
export function makeGene(random: Random, name: string, exonCodons: readonly number[], intron: number): GeneSequence {
  const coding = codingSequence(
    random,
    exonCodons.reduce((a, b) => a + b, 0),
  );
  let sense = '';
  let used = 0;
  const exons: GeneSequence['exons'] = [];
  const last = exonCodons.length - 1;
  exonCodons.forEach((codons, i) => {
    const start = sense.length;
    if (i === 0) sense += randomBases(random, UTR.five);
    // Exons end within a codon as often as real ones. The last exon takes the rest.
    const bases = i === last ? coding.length - used : codons * 3 - (i % 3);
    sense += coding.slice(used, used + bases);
    used += bases;
    if (i === last) sense += randomBases(random, UTR.three, sense);
    exons.push({ start, end: sense.length });
    if (i < last) sense += `GTAAGT${randomBases(random, intron + random.below(intron), 'GTAAGT')}TTTCAG`;
  });
  return { name, sense, exons, cds: { start: UTR.five, end: sense.length - UTR.three } };
}

/** Returns a gene and its paralog: the same sequence except about one base in 35, without new stop codons. */
export function makeParalog(gene: GeneSequence, name: string): { paralog: GeneSequence; differences: number[] } {
  const bases = [...gene.sense];
  const differences: number[] = [];
  const change = (at: number): void => {
    bases[at] = bases[at] === 'C' ? 'T' : 'C';
    differences.push(at);
  };
  let codingOffset = 0;
  for (const [i, exon] of gene.exons.entries()) {
    for (let at = exon.start; at < exon.end; at++) {
      if (at < gene.cds.start || at >= gene.cds.end) continue;
      // Change the third base of every twelfth codon. C and T there never make a stop codon.
      if (codingOffset % 36 === 35 && at < gene.cds.end - 3) change(at);
      codingOffset++;
    }
    const next = gene.exons[i + 1];
    for (let at = exon.end + 24; next && at < next.start - 12; at += 35) change(at);
  }
  return { paralog: { ...gene, name, sense: bases.join('') }, differences };
}
