/** Small sequencing files for tests. */
import { gzipSync } from 'node:zlib';

/** Returns `n` complete FASTQ records. */
export function fastq(n: number, length = 50): Buffer {
  const records: string[] = [];
  for (let i = 0; i < n; i++) {
    const bases = Array.from({ length }, (_, j) => 'ACGT'[(i * 7 + j * 13) % 4]).join('');
    records.push(`@M0:1:FC:1:1101:${i}:${i} 1:N:0:AC\n${bases}\n+\n${'F'.repeat(length)}\n`);
  }
  return Buffer.from(records.join(''));
}

export const fastqGz = (n: number): Buffer => gzipSync(fastq(n));

/** The empty block that ends BGZF files. */
export const BGZF_END = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

/** One BGZF block of stored or compressed bytes, as bgzip writes it. */
export function bgzfBlock(content: Buffer): Buffer {
  const gzip = gzipSync(content);
  const deflated = gzip.subarray(10); // deflate stream, CRC32 and ISIZE
  const header = Buffer.from('1f8b08040000000000ff060042430200', 'hex');
  const size = Buffer.alloc(2);
  size.writeUInt16LE(header.length + 2 + deflated.length - 1);
  return Buffer.concat([header, size, deflated]);
}

/** Returns FASTQ in BGZF blocks, as written by sequencers. */
export function bgzfFastq(blocks: number, perBlock = 20): Buffer {
  return Buffer.concat([...Array.from({ length: blocks }, () => bgzfBlock(fastq(perBlock))), BGZF_END]);
}

/** Returns a BAM with only a header: one contig, no reads. */
export function emptyBam(): Buffer {
  const text = Buffer.from('@HD\tVN:1.6\n@SQ\tSN:1\tLN:1000\n');
  const int = (value: number) => {
    const buffer = Buffer.alloc(4);
    buffer.writeInt32LE(value);
    return buffer;
  };
  const name = Buffer.from('1\0');
  const content = Buffer.concat([
    Buffer.from('BAM\x01'),
    int(text.length),
    text,
    int(1),
    int(name.length),
    name,
    int(1000),
  ]);
  return Buffer.concat([bgzfBlock(content), BGZF_END]);
}
