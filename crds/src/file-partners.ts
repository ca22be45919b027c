import { mateName } from './sample-grouping.ts';

/**
 * Returns the name of the file that belongs with this one: R1 and R2 of a lane, a BAM and its index. Undefined when
 * the name implies no partner (single-end reads, a sample sheet).
 */
export function partnerName(name: string): string | undefined {
  if (/\.bam\.bai$/i.test(name)) return name.slice(0, -'.bai'.length);
  if (/\.bam$/i.test(name)) return `${name}.bai`;
  return mateName(name);
}

/** Returns a sort key that is the same for files that belong together. */
export function partnerKey(name: string): string {
  const partner = partnerName(name);
  return partner === undefined || name < partner ? name : partner;
}
