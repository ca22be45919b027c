import { crc32, deflateRawSync } from 'node:zlib';

/** Bytes of text per block. The format allows 65,536 with the header; bgzip uses this size. */
const BLOCK = 0xff00;
/** The empty block that ends every complete BGZF file (SAM specification, 4.1.2). */
const EOF_BLOCK = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');
const HEADER = Buffer.from('1f8b08040000000000ff0600424302000000', 'hex');

/** A BGZF file and the start of each of its blocks. */
export interface Bgzf {
  bytes: Buffer;
  /** Start of the n-th block of BLOCK bytes in `bytes`. */
  starts: number[];
}

/**
 * Compresses like `bgzip`, but in this process. Starting bgzip and tabix takes 8 ms instead of 2 ms for a table of 200 lines.
 * For 1,000,000 lines both ways take 1.6 s and 0.7 GB of memory.
 */
export function bgzf(text: Buffer): Bgzf {
  const parts: Buffer[] = [];
  const starts: number[] = [];
  let size = 0;
  for (let at = 0; at < text.length; at += BLOCK) {
    const block = text.subarray(at, at + BLOCK);
    const packed = deflateRawSync(block, { level: 6 });
    const head = Buffer.from(HEADER);
    head.writeUInt16LE(HEADER.length + packed.length + 8 - 1, 16);
    const tail = Buffer.alloc(8);
    tail.writeUInt32LE(crc32(block), 0);
    tail.writeUInt32LE(block.length, 4);
    starts.push(size);
    parts.push(head, packed, tail);
    size += head.length + packed.length + tail.length;
  }
  starts.push(size);
  parts.push(EOF_BLOCK);
  return { bytes: Buffer.concat(parts), starts };
}

/**
 * Returns the virtual offset of a byte of text in a BGZF file: block start in the upper bits, offset within the block in
 * the lower 16. Exact as a number for files up to 128 GiB.
 */
export function virtualOffset({ starts }: Bgzf, at: number): number {
  const block = Math.floor(at / BLOCK);
  return (starts[block] ?? starts.at(-1) ?? 0) * 65536 + (at % BLOCK);
}
