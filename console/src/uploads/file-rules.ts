/** SPEC 5 and 9: what may be uploaded. The api checks the same again, and the content. */
export type FileType = 'fastq' | 'bam' | 'bai' | 'samplesheet';

const EXTENSIONS: [string, FileType][] = [
  ['.fastq.gz', 'fastq'],
  ['.fq.gz', 'fastq'],
  ['.fastq', 'fastq'],
  ['.fq', 'fastq'],
  ['.bam.bai', 'bai'],
  ['.bam', 'bam'],
  ['.csv', 'samplesheet'],
];

/** For the file dialog. */
export const ACCEPT = '.fastq,.fq,.gz,.bam,.bai,.csv';

export function fileType(name: string): FileType | undefined {
  const lower = name.toLowerCase();
  return EXTENSIONS.find(([extension]) => lower.endsWith(extension))?.[1];
}

/** Letters, digits, dash, underscore and dot. */
export const FILE_NAME = /^[A-Za-z0-9._-]+$/;

/** Letters, digits, dash and underscore. */
export const PROJECT_NAME = /^[A-Za-z0-9_-]+$/;

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
