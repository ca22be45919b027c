/**
 * Limit on the size of a decompressed gzip FASTQ. Deflate compresses reads 3 to 30 times, and reads of one amplicon with
 * constant qualities less than 40 times. A higher ratio suggests a file made to fill the disk (OWASP ASVS 5.2.3).
 */
export const MAX_FASTQ_RATIO = 100;
/** Small files may decompress to this size at any ratio. */
const FREE_BYTES = 64 * 1024 ** 2;
const MAX_UNPACKED_BYTES = 1024 ** 4;

/** Returns the most bytes that a FASTQ of this compressed size may decompress to. */
export const unpackedLimit = (packed: number): number =>
  Math.min(FREE_BYTES + MAX_FASTQ_RATIO * packed, MAX_UNPACKED_BYTES);
