/** Functions on base strings for the demo. */

const COMPLEMENT: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A', N: 'N' };

export const reverseComplement = (bases: string): string =>
  [...bases]
    .reverse()
    .map((base) => COMPLEMENT[base]!)
    .join('');

const STOPS = new Set(['TAA', 'TAG', 'TGA']);

export const isStop = (codon: string): boolean => STOPS.has(codon);

/** Longest run of one base in generated sequences. Longer runs are rare in exons and difficult for callers. */
export const MAX_RUN = 5;

/** Reports whether `next` would make a run of one base too long. */
export const wouldRun = (before: string, next: string): boolean => before.endsWith(next.repeat(MAX_RUN));
