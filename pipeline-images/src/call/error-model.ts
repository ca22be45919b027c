import { type SiteErrorTable, siteKey } from '../cohort/cohort-files.ts';
import { ERROR_ALTS, errorsAt, LEAST_RATE, PRIOR_FRAGMENTS, priorKey } from '../cohort/site-error.ts';
import type { Pileup, PileupIndex } from '../reads/pileup-file.ts';
import { BASE_CODE } from '../reads/target.ts';

/** A single change to get an error rate for. */
export interface ErrorSite {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
}

/** Error rates of a sample's changes, from the run's counts at the site without the sample's own and the substitution's rate. */
export class ErrorModel {
  readonly #sites: SiteErrorTable['sites'];
  readonly #priors = new Float64Array(5 * ERROR_ALTS.length * 2).fill(LEAST_RATE);
  readonly #pileup: Pileup;
  readonly #index: PileupIndex;

  constructor(table: SiteErrorTable, pileup: Pileup, index: PileupIndex) {
    this.#sites = table.sites;
    for (let ref = 0; ref < 4; ref++)
      for (let alt = 0; alt < ERROR_ALTS.length; alt++)
        for (const strand of [0, 1])
          this.#priors[priorPlace(ref, alt, strand)] = table.priors.get(priorKey(ref, alt, strand)) ?? LEAST_RATE;
    this.#pileup = pileup;
    this.#index = index;
  }

  /** Returns the rate of a change on one strand (0 forward, 1 reverse). */
  rate(site: ErrorSite, strand: 0 | 1): number {
    const [code, pos, ref] = codeOf(site);
    const prior = this.#priors[priorPlace(ref, code, strand)]!;
    const seen = this.#sites.get(site.chrom)?.get(siteKey(pos, code, strand));
    if (!seen) return Math.max(LEAST_RATE, prior);
    let { alt, total } = seen;
    for (const { slot } of this.#index.at(site.chrom, pos)) {
      const own = errorsAt(this.#pileup, slot, code);
      if (!own) continue;
      alt -= own[strand]!;
      total -= own[2 + strand]!;
    }
    return Math.max(LEAST_RATE, (Math.max(0, alt) + prior * PRIOR_FRAGMENTS) / (Math.max(0, total) + PRIOR_FRAGMENTS));
  }

  /** Returns the rate over both strands, weighted by their fragments. For a compound change, the highest rate of its parts. */
  combined(sites: readonly ErrorSite[], forward: number, reverse: number): number {
    const all = forward + reverse;
    let highest = LEAST_RATE;
    for (const site of sites) {
      const rate =
        all === 0
          ? Math.max(this.rate(site, 0), this.rate(site, 1))
          : (forward * this.rate(site, 0) + reverse * this.rate(site, 1)) / all;
      highest = Math.max(highest, rate);
    }
    return highest;
  }
}

const priorPlace = (ref: number, alt: number, strand: number): number => (ref * ERROR_ALTS.length + alt) * 2 + strand;

/** Returns the column of ERROR_ALTS, the position where the change is counted, and the code of REF there. */
function codeOf({ pos, ref, alt }: ErrorSite): [code: number, pos: number, ref: number] {
  const base = BASE_CODE[ref.charCodeAt(0)]!;
  if (ref.length === alt.length) return [BASE_CODE[alt.charCodeAt(0)]!, pos, base];
  // An insertion is counted at its anchor, a deletion at its first deleted base.
  return alt.length > ref.length ? [4, pos, base] : [5, pos + 1, BASE_CODE[ref.charCodeAt(1)]!];
}

/** Parses `pos:ref>alt;…` of a candidate row. */
export const parseAtoms = (chrom: string, text: string): ErrorSite[] =>
  text.split(';').flatMap((atom) => {
    const m = /^(\d+):([A-Z]+)>([A-Z]+)$/.exec(atom);
    return m ? [{ chrom, pos: Number(m[1]), ref: m[2]!, alt: m[3]! }] : [];
  });
