import { type Bgzf, bgzf, virtualOffset } from './bgzf.ts';

/** Where a table holds contig and positions; columns count from 1, as in `tabix -s -b -e`. */
export interface TabixColumns {
  chrom: number;
  start: number;
  end: number;
  /** `bed`: starts count from 0. `vcf`: the end follows from REF. */
  preset?: 'bed' | 'vcf';
}

const TAB = 9;
const NEWLINE = 10;
const HASH = 35;
const LINEAR_SHIFT = 14;
const VCF_FORMAT = 2;
const BED_FORMAT = 0x10000;

/** The smallest bin that holds [begin, end), 0-based (SAM specification, 5.3). */
export function binOf(begin: number, end: number): number {
  const last = end - 1;
  for (const [shift, first] of [
    [14, 4681],
    [17, 585],
    [20, 73],
    [23, 9],
    [26, 1],
  ] as const)
    if (begin >> shift === last >> shift) return first + (begin >> shift);
  return 0;
}

interface Contig {
  name: string;
  bins: Map<number, [bigint, bigint][]>;
  linear: bigint[];
}

/** The .tbi of a text that is sorted by contig and start; lines that start with `#` are skipped. */
export function tabix(text: Buffer, packed: Bgzf, columns: TabixColumns): Buffer {
  const contigs: Contig[] = [];
  let at = 0;
  while (at < text.length) {
    let next = text.indexOf(NEWLINE, at);
    if (next < 0) next = text.length;
    if (text[at] !== HASH && next > at) {
      const cells = firstCells(text, at, next, Math.max(columns.chrom, columns.end, columns.preset === 'vcf' ? 4 : 0));
      const name = cells[columns.chrom - 1] ?? '';
      let contig = contigs.at(-1);
      if (contig?.name !== name) {
        contig = { name, bins: new Map(), linear: [] };
        contigs.push(contig);
      }
      const start = Number(cells[columns.start - 1]) - (columns.preset === 'bed' ? 0 : 1);
      const end = columns.preset === 'vcf' ? start + cells[3]!.length : Number(cells[columns.end - 1]);
      add(contig, start, Math.max(start + 1, end), virtualOffset(packed, at), virtualOffset(packed, next + 1));
    }
    at = next + 1;
  }
  return bgzf(encode(contigs, columns)).bytes;
}

function firstCells(text: Buffer, from: number, to: number, count: number): string[] {
  const cells: string[] = [];
  let at = from;
  while (cells.length < count && at <= to) {
    let tab = text.indexOf(TAB, at);
    if (tab < 0 || tab > to) tab = to;
    cells.push(text.toString('latin1', at, tab));
    at = tab + 1;
  }
  return cells;
}

function add(contig: Contig, start: number, end: number, from: bigint, to: bigint): void {
  const bin = binOf(start, end);
  const chunks = contig.bins.get(bin);
  const last = chunks?.at(-1);
  if (!chunks) contig.bins.set(bin, [[from, to]]);
  else if (last![1] === from) last![1] = to;
  else chunks.push([from, to]);
  for (let window = start >> LINEAR_SHIFT; window <= (end - 1) >> LINEAR_SHIFT; window++) {
    while (contig.linear.length < window) contig.linear.push(contig.linear.at(-1) ?? 0n);
    if (contig.linear.length === window) contig.linear.push(from);
  }
}

function encode(contigs: readonly Contig[], columns: TabixColumns): Buffer {
  const parts: Buffer[] = [];
  const int = (...values: number[]): void => {
    const buffer = Buffer.alloc(values.length * 4);
    for (const [i, value] of values.entries()) buffer.writeInt32LE(value, i * 4);
    parts.push(buffer);
  };
  const long = (...values: bigint[]): void => {
    const buffer = Buffer.alloc(values.length * 8);
    for (const [i, value] of values.entries()) buffer.writeBigUInt64LE(value, i * 8);
    parts.push(buffer);
  };
  const format = columns.preset === 'vcf' ? VCF_FORMAT : columns.preset === 'bed' ? BED_FORMAT : 0;
  const names = Buffer.from(contigs.map(({ name }) => `${name}\0`).join(''));
  parts.push(Buffer.from('TBI\x01', 'latin1'));
  int(
    contigs.length,
    format,
    columns.chrom,
    columns.start,
    columns.preset === 'vcf' ? 0 : columns.end,
    HASH,
    0,
    names.length,
  );
  parts.push(names);
  for (const { bins, linear } of contigs) {
    int(bins.size);
    for (const [bin, chunks] of [...bins].sort(([a], [b]) => a - b)) {
      const number = Buffer.alloc(4);
      number.writeUInt32LE(bin);
      parts.push(number);
      int(chunks.length);
      for (const [from, to] of chunks) long(from, to);
    }
    int(linear.length);
    long(...linear);
  }
  return Buffer.concat(parts);
}
