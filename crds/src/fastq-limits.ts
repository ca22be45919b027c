/**
 * How much a gzip FASTQ may unpack to. Deflate packs reads 3 to 30 times; even reads of one amplicon with constant qualities
 * stay below 40. A file beyond this is made to fill time or disk (ASVS 5.2.3).
 */
export const MAX_FASTQ_RATIO = 100;
/** Small files may unpack to this much whatever their ratio. */
const FREE_BYTES = 64 * 1024 ** 2;
const MAX_UNPACKED_BYTES = 1024 ** 4;

/** Bytes that a FASTQ of this many packed bytes may unpack to. */
export const unpackedLimit = (packed: number): number =>
  Math.min(FREE_BYTES + MAX_FASTQ_RATIO * packed, MAX_UNPACKED_BYTES);
