/** Shows what a read of a SAM file has at an allele. Pure. Positions are 1-based. */

export interface SamRead {
  name: string;
  reverse: boolean;
  chrom: string;
  pos: number;
  mapq: number;
  cigar: string;
  bases: string;
  qualities: string;
}

/** Parses a line of SAM text. Returns undefined for headers and for unmapped or non-primary reads. */
export function parseSam(line: string): SamRead | undefined {
  if (line.startsWith('@') || line === '') return undefined;
  const [name, flag, chrom, pos, mapq, cigar, , , , bases, qualities] = line.split('\t', 12);
  const bits = Number(flag);
  // 0x904: unmapped, secondary, supplementary.
  if (bits & 0x904 || cigar === '*') return undefined;
  return {
    name: name!,
    reverse: (bits & 0x10) !== 0,
    chrom: chrom!,
    pos: Number(pos),
    mapq: Number(mapq),
    cigar: cigar!,
    bases: bases!,
    qualities: qualities!,
  };
}

/** Aligns the read to the reference: one cell per reference position from `pos`, and insertions before a position. */
export interface Layout {
  start: number;
  cells: string;
  insertions: { before: number; bases: string }[];
}

export function layOut({ pos, cigar, bases }: SamRead): Layout {
  let at = 0;
  let cells = '';
  const insertions: Layout['insertions'] = [];
  for (const [, length, operation] of cigar.matchAll(/(\d+)([MIDNSHP=X])/g)) {
    const n = Number(length);
    if (operation === 'M' || operation === '=' || operation === 'X') {
      cells += bases.slice(at, at + n);
      at += n;
    } else if (operation === 'I') {
      insertions.push({ before: pos + cells.length, bases: bases.slice(at, at + n) });
      at += n;
    } else if (operation === 'S') at += n;
    else if (operation === 'D' || operation === 'N') cells += '-'.repeat(n);
  }
  return { start: pos, cells, insertions };
}

/** Returns the bases of an aligned read over a span, with insertions, or undefined when it covers only part of the span. */
export function basesOver({ start, cells, insertions }: Layout, from: number, to: number): string | undefined {
  if (from < start || to >= start + cells.length) return undefined;
  let text = '';
  for (let p = from; p <= to; p++) {
    // An insertion before the first base of the span belongs to the part on its left.
    if (p > from) for (const insertion of insertions) if (insertion.before === p) text += insertion.bases;
    const cell = cells[p - start]!;
    if (cell !== '-') text += cell;
  }
  return text;
}

export type Carries = 'alt' | 'reference' | 'other';

/**
 * Returns what a read has at an allele, or undefined when it does not cover it. Includes one base to the right, so that
 * an insertion or deletion directly after the anchor is found.
 */
export function carries(
  layout: Layout,
  allele: { pos: number; ref: string; alt: string },
  next: string,
): Carries | undefined {
  const text = basesOver(layout, allele.pos, allele.pos + allele.ref.length);
  if (text === undefined) return undefined;
  if (text === allele.alt + next) return 'alt';
  return text === allele.ref + next ? 'reference' : 'other';
}
