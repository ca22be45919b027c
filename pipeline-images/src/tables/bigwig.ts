import { deflateSync } from 'node:zlib';

/** An interval with one value, 0-based with the end excluded, as in a bedGraph. */
export interface Stretch {
  start: number;
  end: number;
  value: number;
}

export interface BigWigContig {
  name: string;
  length: number;
  /** Sorted, not overlapping. */
  stretches: readonly Stretch[];
}

const BIGWIG_MAGIC = 0x888ffc26;
const TREE_MAGIC = 0x78ca8c91;
const INDEX_MAGIC = 0x2468ace0;
const VERSION = 4;
const HEADER_SIZE = 64;
const SUMMARY_SIZE = 40;
const SECTION_HEADER = 24;
const BEDGRAPH_SECTION = 1;
/** Intervals per section. A viewer reads whole sections. */
const SECTION_ITEMS = 1024;

interface Section {
  contig: number;
  start: number;
  end: number;
  offset: number;
  size: number;
}

/**
 * Returns a bigWig file (Kent et al. 2010, doi 10.1093/bioinformatics/btq351). One index node and no zoom levels are
 * enough for the few covered bases of a panel. Contigs are sorted because the format orders them by the bytes of their names.
 */
export function bigWig(contigs: readonly BigWigContig[]): Buffer {
  const sorted = contigs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const tree = contigTree(sorted);
  const dataOffset = HEADER_SIZE + SUMMARY_SIZE + tree.length;
  const parts: Buffer[] = [];
  const sections: Section[] = [];
  let offset = dataOffset + 4;
  let largest = 0;
  sorted.forEach(({ stretches }, contig) => {
    for (let from = 0; from < stretches.length; from += SECTION_ITEMS) {
      const items = stretches.slice(from, from + SECTION_ITEMS);
      const plain = section(contig, items);
      const packed = deflateSync(plain);
      largest = Math.max(largest, plain.length);
      sections.push({ contig, start: items[0]!.start, end: items.at(-1)!.end, offset, size: packed.length });
      parts.push(packed);
      offset += packed.length;
    }
  });
  const count = Buffer.alloc(4);
  count.writeUInt32LE(sections.length);
  const header = Buffer.alloc(HEADER_SIZE);
  header.writeUInt32LE(BIGWIG_MAGIC, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeBigUInt64LE(BigInt(HEADER_SIZE + SUMMARY_SIZE), 8);
  header.writeBigUInt64LE(BigInt(dataOffset), 16);
  header.writeBigUInt64LE(BigInt(offset), 24);
  header.writeBigUInt64LE(BigInt(HEADER_SIZE), 44);
  header.writeUInt32LE(largest, 52);
  return Buffer.concat([header, summary(sorted), tree, count, ...parts, index(sections, offset)]);
}

function section(contig: number, items: readonly Stretch[]): Buffer {
  const bytes = Buffer.alloc(SECTION_HEADER + items.length * 12);
  bytes.writeUInt32LE(contig, 0);
  bytes.writeUInt32LE(items[0]!.start, 4);
  bytes.writeUInt32LE(items.at(-1)!.end, 8);
  bytes.writeUInt8(BEDGRAPH_SECTION, 20);
  bytes.writeUInt16LE(items.length, 22);
  items.forEach(({ start, end, value }, i) => {
    bytes.writeUInt32LE(start, SECTION_HEADER + i * 12);
    bytes.writeUInt32LE(end, SECTION_HEADER + i * 12 + 4);
    bytes.writeFloatLE(value, SECTION_HEADER + i * 12 + 8);
  });
  return bytes;
}

function summary(contigs: readonly BigWigContig[]): Buffer {
  let [covered, sum, squares, least, most] = [0, 0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { stretches } of contigs)
    for (const { start, end, value } of stretches) {
      covered += end - start;
      sum += value * (end - start);
      squares += value * value * (end - start);
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  const bytes = Buffer.alloc(SUMMARY_SIZE);
  bytes.writeBigUInt64LE(BigInt(covered), 0);
  bytes.writeDoubleLE(covered === 0 ? 0 : least, 8);
  bytes.writeDoubleLE(covered === 0 ? 0 : most, 16);
  bytes.writeDoubleLE(sum, 24);
  bytes.writeDoubleLE(squares, 32);
  return bytes;
}

/** Returns names, numbers and lengths of the contigs as a tree of one leaf. */
function contigTree(contigs: readonly BigWigContig[]): Buffer {
  const key = contigs.reduce((longest, { name }) => Math.max(longest, name.length), 1);
  const bytes = Buffer.alloc(32 + 4 + contigs.length * (key + 8));
  bytes.writeUInt32LE(TREE_MAGIC, 0);
  bytes.writeUInt32LE(Math.max(1, contigs.length), 4);
  bytes.writeUInt32LE(key, 8);
  bytes.writeUInt32LE(8, 12);
  bytes.writeBigUInt64LE(BigInt(contigs.length), 16);
  bytes.writeUInt8(1, 32);
  bytes.writeUInt16LE(contigs.length, 34);
  contigs.forEach(({ name, length }, i) => {
    const at = 36 + i * (key + 8);
    bytes.write(name, at, 'latin1');
    bytes.writeUInt32LE(i, at + key);
    bytes.writeUInt32LE(length, at + key + 4);
  });
  return bytes;
}

/** Returns the places of the sections as an R tree of one leaf. */
function index(sections: readonly Section[], end: number): Buffer {
  const bytes = Buffer.alloc(48 + 4 + sections.length * 32);
  const [first, last] = [sections[0], sections.at(-1)];
  bytes.writeUInt32LE(INDEX_MAGIC, 0);
  bytes.writeUInt32LE(Math.max(1, sections.length), 4);
  bytes.writeBigUInt64LE(BigInt(sections.length), 8);
  bytes.writeUInt32LE(first?.contig ?? 0, 16);
  bytes.writeUInt32LE(first?.start ?? 0, 20);
  bytes.writeUInt32LE(last?.contig ?? 0, 24);
  bytes.writeUInt32LE(last?.end ?? 0, 28);
  bytes.writeBigUInt64LE(BigInt(end), 32);
  bytes.writeUInt32LE(1, 40);
  bytes.writeUInt8(1, 48);
  bytes.writeUInt16LE(sections.length, 50);
  sections.forEach(({ contig, start, end: to, offset, size }, i) => {
    const at = 52 + i * 32;
    bytes.writeUInt32LE(contig, at);
    bytes.writeUInt32LE(start, at + 4);
    bytes.writeUInt32LE(contig, at + 8);
    bytes.writeUInt32LE(to, at + 12);
    bytes.writeBigUInt64LE(BigInt(offset), at + 16);
    bytes.writeBigUInt64LE(BigInt(size), at + 24);
  });
  return bytes;
}
