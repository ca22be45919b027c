/**
 * Full protein name of a frameshift, `p.Ser1982ArgfsTer22`. snpEff only reports where the frameshift begins. Positions
 * are 1-based. Pure, except that the caller reads the reference bases.
 */

import type { Transcript } from '../genome/transcript.ts';

const CODE = 'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG';
const BASES = 'TCAG';
const THREE: Readonly<Record<string, string>> = {
  A: 'Ala',
  R: 'Arg',
  N: 'Asn',
  D: 'Asp',
  C: 'Cys',
  Q: 'Gln',
  E: 'Glu',
  G: 'Gly',
  H: 'His',
  I: 'Ile',
  L: 'Leu',
  K: 'Lys',
  M: 'Met',
  F: 'Phe',
  P: 'Pro',
  S: 'Ser',
  T: 'Thr',
  W: 'Trp',
  Y: 'Tyr',
  V: 'Val',
  '*': 'Ter',
};
const COMPLEMENT: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A' };

const reverse = (bases: string): string =>
  [...bases]
    .reverse()
    .map((base) => COMPLEMENT[base] ?? 'N')
    .join('');

/** Translates complete codons to one-letter amino acids. X for a codon with a letter other than ACGT. */
export function translate(bases: string): string {
  let out = '';
  for (let i = 0; i + 3 <= bases.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => BASES.indexOf(bases[i + k]!));
    out += a! < 0 || b! < 0 || c! < 0 ? 'X' : CODE[a! * 16 + b! * 4 + c!]!;
  }
  return out;
}

/** Returns the intervals to read: the coding sequence and the rest of the exons, where a new frame may continue. */
export function codingStretches({ cds, exons, strand }: Transcript): { start: number; end: number }[] {
  const [first, last] = [cds[0]!, cds.at(-1)!];
  const parts =
    strand === '+'
      ? [
          ...cds,
          ...exons.filter((e) => e.end > last.end).map((e) => ({ start: Math.max(e.start, last.end + 1), end: e.end })),
        ]
      : [
          ...exons
            .filter((e) => e.start < first.start)
            .map((e) => ({ start: e.start, end: Math.min(e.end, first.start - 1) })),
          ...cds,
        ];
  return parts.map(({ start, end }) => ({ start, end }));
}

/**
 * Returns the name, or undefined when the allele is not within one interval or the coding sequence is incomplete.
 * `bases` contains the forward-strand bases of each interval.
 */
export function frameshiftName(
  transcript: Transcript,
  allele: { pos: number; ref: string; alt: string },
  stretches: readonly { start: number; end: number }[],
  bases: readonly string[],
): string | undefined {
  // Skip the anchor, which is unchanged.
  const shared = allele.ref[0] === allele.alt[0] ? 1 : 0;
  const [pos, ref, alt] = [allele.pos + shared, allele.ref.slice(shared), allele.alt.slice(shared)];
  const holder = stretches.findIndex(({ start, end }) => pos >= start && pos + Math.max(ref.length, 1) - 1 <= end);
  if (holder < 0) return undefined;
  const at = pos - stretches[holder]!.start;
  const changed = bases.map((text, i) => (i === holder ? text.slice(0, at) + alt + text.slice(at + ref.length) : text));
  const direction = (parts: readonly string[]): string =>
    transcript.strand === '+' ? parts.join('') : reverse(parts.join(''));
  const before = translate(direction(bases));
  const after = translate(direction(changed));
  if (before[0] !== 'M' || !before.includes('*')) return undefined;
  let i = 0;
  while (i < before.length && before[i] === after[i]) {
    if (before[i] === '*') return undefined;
    i++;
  }
  const [from, to] = [THREE[before[i] ?? ''], THREE[after[i] ?? '']];
  if (!from || !to) return undefined;
  if (to === 'Ter') return `p.${from}${i + 1}Ter`;
  const stop = after.indexOf('*', i);
  return `p.${from}${i + 1}${to}fsTer${stop < 0 ? '?' : stop - i + 1}`;
}
