/** Formats the cells of the variant table. Pure. */

import { count } from '../../../components/format.ts';

/** Formats a fraction as percent: 2 decimals below 10, 1 above; never rounded to 0 or 100 unless exact. */
export function percent(fraction: number): string {
  const value = fraction * 100;
  const text = value < 10 ? value.toFixed(2) : value.toFixed(1);
  if (Number(text) === 0 && value > 0) return '<0.01';
  if (Number(text) === 100 && value < 100) return '>99.9';
  return text;
}

/** Formats an allele. Shortens it in the middle above 12 bases: `ACGT…TTGA (38 bp)`. */
export function allele(bases: string): string {
  return bases.length <= 12 ? bases : `${bases.slice(0, 4)}…${bases.slice(-4)} (${bases.length} bp)`;
}

/** `SNV`, `INS +3`, `DEL −12`, `MNV 2`. */
export function typeAndLength(type: string, length: number): string {
  if (type === 'SNV') return type;
  if (type === 'INS') return `INS +${length}`;
  if (type === 'DEL') return `DEL −${length}`;
  return `${type} ${length}`;
}

/** Formats a locus as `chr17:7,578,115`. Copying it gives no commas. */
export const locus = (chrom: string, pos: number): string => `${chrom}:${count(pos)}`;

/** Formats a small number such as a p value or a population frequency: 2 significant digits, scientific below 0.001. */
export function small(value: number): string {
  if (value === 0) return '0';
  return value < 0.001 ? value.toExponential(1) : String(Number(value.toPrecision(2)));
}
