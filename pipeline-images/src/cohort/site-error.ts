import { SYMBOL_DEL, SYMBOL_INS, SYMBOLS, WIDTH } from '../reads/counts.ts';
import { knownFragments, type Pileup, type PileupIndex } from '../reads/pileup-file.ts';

/** ALTs with an error rate, by code. The first four are bases. */
export const ERROR_ALTS = ['A', 'C', 'G', 'T', 'INS', 'DEL'] as const;
const SYMBOL = [0, 1, 2, 3, SYMBOL_INS, SYMBOL_DEL] as const;

/** From this frequency on, with three fragments, a change counts as a variant of the sample instead of an error. */
export const VARIANT_FREQUENCY = 0.02;
const VARIANT_FRAGMENTS = 3;

/** Weight of the substitution's run-wide rate in a site's rate, in fragments. */
export const PRIOR_FRAGMENTS = 500;
/** Lowest rate assumed: one error in 10,000 bases of quality 20 or more. */
export const LEAST_RATE = 1e-4;

/** Reports whether the sample's change at a base counts as a variant, which is excluded from the error rate. */
export const isVariant = (alt: number, depth: number): boolean =>
  alt >= VARIANT_FRAGMENTS && alt >= VARIANT_FREQUENCY * depth;

/** Returns [alt forward, alt reverse, depth forward, depth reverse] of a sample at a base, or undefined for a variant. */
export function errorsAt(
  { cells, reference }: Pileup,
  slot: number,
  alt: number,
): [number, number, number, number] | undefined {
  if (reference[slot] === alt || reference[slot]! > 3) return undefined;
  const row = slot * WIDTH + SYMBOL[alt]!;
  const [f, r] = [cells[row]!, cells[row + SYMBOLS]!];
  const [df, dr] = [knownFragments(cells, slot, 0), knownFragments(cells, slot, 1)];
  return isVariant(f + r, df + dr) ? undefined : [f, r, df, dr];
}

/** Error counts over the samples of a run. */
export class SiteErrors {
  /** By (slot * 6 + alt) * 2 + strand. */
  readonly alt: Float64Array;
  readonly total: Float64Array;
  /** Number of samples used, by slot * 6 + alt. */
  readonly samples: Uint16Array;
  readonly reference: Uint8Array;
  readonly index: PileupIndex;

  constructor(index: PileupIndex) {
    this.index = index;
    const size = index.length * ERROR_ALTS.length;
    this.alt = new Float64Array(size * 2);
    this.total = new Float64Array(size * 2);
    this.samples = new Uint16Array(size);
    this.reference = new Uint8Array(index.length).fill(255);
  }

  add(pileup: Pileup): void {
    for (let slot = 0; slot < this.index.length; slot++) {
      if (pileup.reference[slot]! > 3) continue;
      this.reference[slot] = pileup.reference[slot]!;
      for (let alt = 0; alt < ERROR_ALTS.length; alt++) {
        const seen = errorsAt(pileup, slot, alt);
        if (!seen) continue;
        const at = slot * ERROR_ALTS.length + alt;
        this.alt[at * 2]! += seen[0];
        this.alt[at * 2 + 1]! += seen[1];
        this.total[at * 2]! += seen[2];
        this.total[at * 2 + 1]! += seen[3];
        this.samples[at]!++;
      }
    }
  }

  /** Returns the rate of each substitution (`C>T`, `C>DEL`) and strand over all sites. */
  priors(): Map<string, number> {
    const sums = new Map<string, [number, number]>();
    for (let slot = 0; slot < this.index.length; slot++) {
      const ref = this.reference[slot]!;
      if (ref > 3) continue;
      for (let alt = 0; alt < ERROR_ALTS.length; alt++)
        for (let strand = 0; strand < 2; strand++) {
          const at = (slot * ERROR_ALTS.length + alt) * 2 + strand;
          if (this.total[at] === 0) continue;
          const key = priorKey(ref, alt, strand);
          const sum = sums.get(key) ?? [0, 0];
          sum[0] += this.alt[at]!;
          sum[1] += this.total[at]!;
          sums.set(key, sum);
        }
    }
    return new Map(
      [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, [k, n]]) => [key, Math.max(LEAST_RATE, k / n)]),
    );
  }
}

export const priorKey = (ref: number, alt: number, strand: number): string =>
  `${ERROR_ALTS[ref]}>${ERROR_ALTS[alt]}\t${strand === 0 ? 'F' : 'R'}`;

/** Returns a site's rate: its own errors combined with the substitution's rate, weighted by PRIOR_FRAGMENTS. */
export const siteRate = (alt: number, total: number, prior: number): number =>
  Math.max(LEAST_RATE, (alt + prior * PRIOR_FRAGMENTS) / (total + PRIOR_FRAGMENTS));

/** Returns the lines of site_error.tsv.gz: `##prior` lines, then the sites with errors, by `order` and position. */
export function siteErrorText(errors: SiteErrors, order: ReadonlyMap<string, number>, header: string): string {
  const priors = errors.priors();
  const sites = new Map<string, { chrom: string; pos: number; slots: number[] }>();
  for (const { chrom, pos } of errors.index.all()) {
    const key = `${chrom}\t${pos}`;
    if (!sites.has(key)) sites.set(key, { chrom, pos, slots: errors.index.at(chrom, pos).map(({ slot }) => slot) });
  }
  const sorted = [...sites.values()].sort(
    (a, b) => (order.get(a.chrom) ?? 0) - (order.get(b.chrom) ?? 0) || a.pos - b.pos,
  );
  const lines: string[] = [];
  for (const { chrom, pos, slots } of sorted)
    for (let alt = 0; alt < ERROR_ALTS.length; alt++)
      for (let strand = 0; strand < 2; strand++) {
        let [k, n, samples] = [0, 0, 0];
        for (const slot of slots) {
          const at = slot * ERROR_ALTS.length + alt;
          k += errors.alt[at * 2 + strand]!;
          n += errors.total[at * 2 + strand]!;
          samples = Math.max(samples, errors.samples[at]!);
        }
        if (k === 0) continue;
        const ref = errors.reference[slots[0]!]!;
        const rate = siteRate(k, n, priors.get(priorKey(ref, alt, strand)) ?? LEAST_RATE);
        lines.push(
          `${chrom}\t${pos}\t${ERROR_ALTS[alt]}\t${strand === 0 ? 'F' : 'R'}\t${k}\t${n}\t${rate.toExponential(3)}\t${samples}\t1`,
        );
      }
  const head = [...priors].map(([key, rate]) => `##prior\t${key}\t${rate.toExponential(6)}`);
  return `${[...head, header, ...lines].join('\n')}\n`;
}
