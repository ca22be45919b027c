/** The key of an allele, the same in every file, table, URL and review. */

import { createHash } from 'node:crypto';

export interface Allele {
  /** Canonical contig name, `contigs[].canonical` of the Genome. */
  chrom: string;
  /** 1-based position of the normalised (left-aligned, trimmed) allele. */
  pos: number;
  ref: string;
  alt: string;
}

/** 80 bits. A billion alleles have a chance of collision below one in a million. */
const KEY_LENGTH = 20;

/** Returns 20 hexadecimal digits of the SHA-256 of genome, contig, position, REF and ALT in upper case. */
export function alleleKey(genome: string, allele: Allele): string {
  const text = [genome, allele.chrom, allele.pos, allele.ref.toUpperCase(), allele.alt.toUpperCase()].join('\t');
  return createHash('sha256').update(text).digest('hex').slice(0, KEY_LENGTH);
}

export type AlleleType = 'SNV' | 'MNV' | 'INS' | 'DEL' | 'DELINS';

/**
 * Returns type and length in bases. SNV and MNV: bases replaced. INS and DEL: bases gained or lost. DELINS: the longer of
 * the two sides, without a shared first base.
 */
export function alleleType(ref: string, alt: string): { type: AlleleType; length: number } {
  if (ref.length === alt.length) return { type: ref.length === 1 ? 'SNV' : 'MNV', length: ref.length };
  if (alt.startsWith(ref)) return { type: 'INS', length: alt.length - ref.length };
  if (ref.startsWith(alt)) return { type: 'DEL', length: ref.length - alt.length };
  const anchor = ref[0] === alt[0] ? 1 : 0;
  return { type: 'DELINS', length: Math.max(ref.length, alt.length) - anchor };
}
