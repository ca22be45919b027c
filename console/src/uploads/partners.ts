/**
 * The file that belongs with this one, by name: R1 and R2 of a lane, a BAM and its index. Undefined when the name says
 * nothing about a partner (single-end reads, a sample sheet).
 */
export function partnerName(name: string): string | undefined {
  if (/\.bam\.bai$/i.test(name)) return name.slice(0, -'.bai'.length);
  if (/\.bam$/i.test(name)) return `${name}.bai`;
  const read = /^(.*[._-])(R?)([12])((?:[._-]\d{3})?\.(?:fastq|fq)(?:\.gz)?)$/i.exec(name);
  if (!read) return undefined;
  const [, before, r, digit, after] = read;
  return `${before}${r}${digit === '1' ? '2' : '1'}${after}`;
}

/** Files that belong together have the same key; the key sorts them next to each other. */
export function partnerKey(name: string): string {
  const partner = partnerName(name);
  return partner === undefined || name < partner ? name : partner;
}
