import { type Bgzf, bgzf, virtualOffset } from './bgzf.ts';

/** The columns of contig and positions, counted from 1 as in `tabix -s -b -e`. */
export interface TabixColumns {
  chrom: number;
  start: number;
  end: number;
  /** `bed`: start positions are 0-based. `vcf`: the end follows from REF. */
  preset?: 'bed' | 'vcf';
}

const TAB = 9;
const NEWLINE = 10;
const HASH = 35;
const LINEAR_SHIFT = 14;
const VCF_FORMAT = 2;
const BED_FORMAT = 0x10000;

/** Returns the smallest bin that contains [begin, end), 0-based (SAM specification, 5.3). */
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
  bins: Map<number, [number, number][]>;
  linear: number[];
}

/** Returns the .tbi of a text sorted by contig and start. Skips lines that start with `#`. */
export function tabix(text: Buffer, packed: Bgzf, columns: TabixColumns): Buffer {
  const contigs: Contig[] = [];
  const vcf = columns.preset === 'vcf';
  const wanted = Math.max(columns.chrom, columns.start, vcf ? 4 : columns.end);
  const ends = new Int32Array(wanted + 1);
  let at = 0;
  while (at < text.length) {
    let next = text.indexOf(NEWLINE, at);
    if (next < 0) next = text.length;
    if (text[at] !== HASH && next > at) {
      cells(text, at, next, ends);
      const [from, to] = [ends[columns.chrom - 1]!, ends[columns.chrom]! - 1];
      let contig = contigs.at(-1);
      if (!contig || !isText(text, from, to, contig.name)) {
        contig = { name: text.toString('latin1', from, to), bins: new Map(), linear: [] };
        contigs.push(contig);
      }
      const start = number(text, ends[columns.start - 1]!) - (columns.preset === 'bed' ? 0 : 1);
      const end = vcf ? start + ends[4]! - 1 - ends[3]! : number(text, ends[columns.end - 1]!);
      add(contig, start, Math.max(start + 1, end), virtualOffset(packed, at), virtualOffset(packed, next + 1));
    }
    at = next + 1;
  }
  return bgzf(encode(contigs, columns)).bytes;
}

/** Fills `ends` with the start of each cell. A cell ends one byte before the next starts. */
function cells(text: Buffer, from: number, to: number, ends: Int32Array): void {
  ends[0] = from;
  let at = from;
  for (let cell = 1; cell < ends.length; cell++) {
    while (at < to && text[at] !== TAB) at++;
    at++;
    ends[cell] = at;
  }
}

function isText(text: Buffer, from: number, to: number, name: string): boolean {
  if (to - from !== name.length) return false;
  for (let i = 0; i < name.length; i++) if (text[from + i] !== name.charCodeAt(i)) return false;
  return true;
}

function number(text: Buffer, from: number): number {
  let value = 0;
  for (let at = from; ; at++) {
    const digit = text[at]! - 48;
    if (!(digit >= 0 && digit <= 9)) return value;
    value = value * 10 + digit;
  }
}

function add(contig: Contig, start: number, end: number, from: number, to: number): void {
  const bin = binOf(start, end);
  const chunks = contig.bins.get(bin);
  if (!chunks) contig.bins.set(bin, [[from, to]]);
  else {
    const last = chunks.at(-1)!;
    if (last[1] === from) last[1] = to;
    else chunks.push([from, to]);
  }
  const { linear } = contig;
  for (let window = start >> LINEAR_SHIFT; window <= (end - 1) >> LINEAR_SHIFT; window++) {
    while (linear.length < window) linear.push(linear.at(-1) ?? 0);
    if (linear.length === window) linear.push(from);
  }
}

function encode(contigs: readonly Contig[], columns: TabixColumns): Buffer {
  const parts: Buffer[] = [];
  const int = (...values: number[]): void => {
    const buffer = Buffer.alloc(values.length * 4);
    for (const [i, value] of values.entries()) buffer.writeInt32LE(value, i * 4);
    parts.push(buffer);
  };
  const long = (values: readonly number[]): void => {
    const buffer = Buffer.alloc(values.length * 8);
    for (const [i, value] of values.entries()) buffer.writeBigUInt64LE(BigInt(value), i * 8);
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
      for (const chunk of chunks) long(chunk);
    }
    int(linear.length);
    long(linear);
  }
  return Buffer.concat(parts);
}
