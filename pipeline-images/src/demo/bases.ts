/** Small things about base strings that the demo's makers need. */

const COMPLEMENT: Readonly<Record<string, string>> = { A: 'T', C: 'G', G: 'C', T: 'A', N: 'N' };

export const reverseComplement = (bases: string): string =>
  [...bases]
    .reverse()
    .map((base) => COMPLEMENT[base]!)
    .join('');

const STOPS = new Set(['TAA', 'TAG', 'TGA']);

export const isStop = (codon: string): boolean => STOPS.has(codon);

/** Longest run of one base that the made sequences have: real exons are seldom worse, and callers dislike longer ones. */
export const MAX_RUN = 5;

/** Whether `next` would make a run of one base that is too long. */
export const wouldRun = (before: string, next: string): boolean => before.endsWith(next.repeat(MAX_RUN));
