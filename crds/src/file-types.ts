/** The files that a project takes (SPEC 5, 9), by the end of their names. */

export type FileType = 'fastq' | 'bam' | 'bai' | 'samplesheet';

/** 2 GB (SPEC 9), counted as 2 x 1024^3 bytes. */
export const MAX_FILE_BYTES = 2 * 1024 ** 3;

/** Longer endings first: `.bam.bai` is not `.bam`. */
export const EXTENSIONS: readonly (readonly [string, FileType])[] = [
  ['.fastq.gz', 'fastq'],
  ['.fq.gz', 'fastq'],
  ['.fastq', 'fastq'],
  ['.fq', 'fastq'],
  ['.bam.bai', 'bai'],
  ['.bam', 'bam'],
  ['.csv', 'samplesheet'],
];

/** The type of a file by its name, upper or lower case; undefined: this file format is not supported. */
export function fileTypeOf(name: string): FileType | undefined {
  const lower = name.toLowerCase();
  return EXTENSIONS.find(([extension]) => lower.endsWith(extension) && lower.length > extension.length)?.[1];
}
