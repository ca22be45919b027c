import type { PanelFile } from '@seqpanel/crds/panel.ts';
import type { Reference } from './reference.ts';

/** Reference bases kept on each side of an amplicon, needed to shift indels left. */
export const FLANK = 300;

/** Base codes of a sequence: A 0, C 1, G 2, T 3, anything else 4. */
export const BASE_CODE = new Uint8Array(256).fill(4);
for (const [i, pair] of ['Aa', 'Cc', 'Gg', 'Tt'].entries())
  for (const letter of pair) BASE_CODE[letter.charCodeAt(0)] = i;
export const BASES = 'ACGTN';

/** An amplicon as seen by the counter. Positions are 1-based. */
export interface Target {
  index: number;
  name: string;
  chrom: string;
  start: number;
  end: number;
  insertStart: number;
  insertEnd: number;
  /** True when primers are known. Fragments are then assigned by their ends. */
  primers: boolean;
  /** Bases from `windowStart` on: the amplicon with FLANK bases on each side. */
  window: string;
  windowStart: number;
  /** Codes of the insert's bases. */
  codes: Uint8Array;
  /** Index of the insert's first base in arrays over all inserts. */
  offset: number;
}

/**
 * Returns the targets over a base whose counts may be added up: all with primers and the first without. A target without
 * primers counts every fragment over it, so overlapping ones count the same fragments.
 */
export function withoutRepeats<T>(targets: readonly T[], hasPrimers: (target: T) => boolean): readonly T[] {
  if (targets.length < 2) return targets;
  let open = 0;
  return targets.filter((target) => hasPrimers(target) || open++ === 0);
}

/** Returns the panel's amplicons with their reference bases, in panel order. */
export async function loadTargets(panel: PanelFile, reference: Reference): Promise<Target[]> {
  let offset = 0;
  const targets: Target[] = [];
  for (const [index, amplicon] of panel.amplicons.entries()) {
    const { name, chrom, start, end, insert } = amplicon;
    const window = await reference.bases(chrom, start - FLANK, end + FLANK);
    const codes = new Uint8Array(insert.end - insert.start + 1);
    for (let i = 0; i < codes.length; i++)
      codes[i] = BASE_CODE[window.bases.charCodeAt(insert.start - window.start + i)] ?? 4;
    targets.push({
      index,
      name,
      chrom,
      start,
      end,
      insertStart: insert.start,
      insertEnd: insert.end,
      primers: amplicon.leftPrimer !== undefined || amplicon.rightPrimer !== undefined,
      window: window.bases,
      windowStart: window.start,
      codes,
      offset,
    });
    offset += codes.length;
  }
  return targets;
}

/** Returns the bases of a target's window (1-based, both ends included), or '' outside of it. */
export const windowBases = (target: Target, start: number, end: number): string =>
  target.window.slice(Math.max(0, start - target.windowStart), Math.max(0, end - target.windowStart + 1));
