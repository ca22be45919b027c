/** The file types that a project accepts, by file extension [UPLOAD-08] [UPLOAD-09]. */

export type FileType = 'fastq' | 'bam' | 'bai' | 'samplesheet';

/** 2 GB [UPLOAD-10], counted as 2 x 1024^3 bytes. */
export const MAX_FILE_BYTES = 2 * 1024 ** 3;

/** Longer extensions come first: `.bam.bai` is not `.bam`. */
export const EXTENSIONS: readonly (readonly [string, FileType])[] = [
  ['.fastq.gz', 'fastq'],
  ['.fq.gz', 'fastq'],
  ['.fastq', 'fastq'],
  ['.fq', 'fastq'],
  ['.bam.bai', 'bai'],
  ['.bam', 'bam'],
  ['.csv', 'samplesheet'],
];

/** Returns the type of a file by its name, in any case, or undefined for an unsupported format. */
export function fileTypeOf(name: string): FileType | undefined {
  const lower = name.toLowerCase();
  return EXTENSIONS.find(([extension]) => lower.endsWith(extension) && lower.length > extension.length)?.[1];
}
