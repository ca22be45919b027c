import { mateName } from './sample-grouping.ts';

/**
 * The file that belongs with this one, by name: R1 and R2 of a lane, a BAM and its index. Undefined when the name says
 * nothing about a partner (single-end reads, a sample sheet).
 */
export function partnerName(name: string): string | undefined {
  if (/\.bam\.bai$/i.test(name)) return name.slice(0, -'.bai'.length);
  if (/\.bam$/i.test(name)) return `${name}.bai`;
  return mateName(name);
}

/** Files that belong together have the same key; the key sorts them next to each other. */
export function partnerKey(name: string): string {
  const partner = partnerName(name);
  return partner === undefined || name < partner ? name : partner;
}
