const TAB = 9;
const STAR = 42;
const FIELDS = 11;

export const FLAG = {
  paired: 1,
  unmapped: 4,
  mateUnmapped: 8,
  reverse: 16,
  mateReverse: 32,
  read1: 64,
  read2: 128,
  secondary: 256,
  qcFail: 512,
  supplementary: 2048,
} as const;

/** CIGAR operations by code. A CIGAR is stored as numbers `length << 4 | code`. */
export const CIGAR_LETTERS = 'MIDNSHP=X';
export const [M, I, D, N, S, H, P, EQ, X] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const;
const OP_CODE = new Uint8Array(256).fill(255);
for (const [code, letter] of [...CIGAR_LETTERS].entries()) OP_CODE[letter.charCodeAt(0)] = code;

export const isAligned = (op: number): boolean => op === M || op === EQ || op === X;

/** One alignment line, parsed in place as offsets into its buffer. Objects are reused. */
export class SamRecord {
  buffer: Buffer = Buffer.alloc(0);
  start = 0;
  /** Offset after the last byte, without the line end. */
  end = 0;
  /** End offset of each of the eleven fields. */
  readonly ends = new Int32Array(FIELDS);
  flag = 0;
  chrom = '';
  /** Contig name as written in the line. */
  #rawChrom = '';
  /** 1-based. */
  pos = 0;
  mapq = 0;
  cigar: number[] = [];
  /** Last aligned reference position. pos - 1 for an unmapped read. */
  refEnd = 0;
  seqStart = 0;
  seqLength = 0;
  qualStart = 0;
  /** True when `pos`, `cigar` and `refEnd` differ from the line. */
  edited = false;

  get mapped(): boolean {
    return (this.flag & FLAG.unmapped) === 0 && this.cigar.length > 0;
  }
  get reverse(): boolean {
    return (this.flag & FLAG.reverse) !== 0;
  }
  get primary(): boolean {
    return (this.flag & (FLAG.secondary | FLAG.supplementary)) === 0;
  }
  /** Position of the read's first base if it were aligned completely. */
  get unclippedStart(): number {
    const first = this.cigar[0] ?? 0;
    return (first & 15) === S ? this.pos - (first >> 4) : this.pos;
  }
  get unclippedEnd(): number {
    const last = this.cigar.at(-1) ?? 0;
    return (last & 15) === S ? this.refEnd + (last >> 4) : this.refEnd;
  }

  /** Parses the line in buffer[start, end). `names` holds one string per contig. */
  parse(buffer: Buffer, start: number, end: number, names: ReadonlyMap<string, string>): void {
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    this.edited = false;
    let at = start;
    for (let field = 0; field < 9; field++) {
      while (buffer[at] !== TAB) at++;
      this.ends[field] = at;
      at++;
    }
    this.seqStart = at;
    const seqEnd = buffer.indexOf(TAB, at);
    if (seqEnd < 0 || seqEnd > end) throw new Error('the aligner wrote a line without qualities');
    this.ends[9] = seqEnd;
    this.seqLength = seqEnd - at;
    this.qualStart = seqEnd + 1;
    const qualEnd = buffer[seqEnd + 1] === STAR && this.seqLength !== 1 ? seqEnd + 2 : seqEnd + 1 + this.seqLength;
    this.ends[10] = Math.min(qualEnd, end);
    this.flag = number(buffer, this.ends[0]! + 1);
    this.#parseChrom(this.ends[1]! + 1, this.ends[2]!, names);
    this.pos = number(buffer, this.ends[2]! + 1);
    this.mapq = number(buffer, this.ends[3]! + 1);
    this.#parseCigar(this.ends[4]! + 1);
  }

  /** Reuses the previous contig string, because most reads are on the same contig as the one before. */
  #parseChrom(from: number, to: number, names: ReadonlyMap<string, string>): void {
    const rawChrom = this.#rawChrom;
    const { buffer } = this;
    if (to - from === rawChrom.length) {
      let i = 0;
      while (i < rawChrom.length && rawChrom.charCodeAt(i) === buffer[from + i]) i++;
      if (i === rawChrom.length) return;
    }
    this.#rawChrom = buffer.toString('latin1', from, to);
    this.chrom = names.get(this.#rawChrom) ?? this.#rawChrom;
  }

  #parseCigar(from: number): void {
    const { buffer, cigar } = this;
    cigar.length = 0;
    let reference = 0;
    let length = 0;
    for (let at = from; buffer[at] !== TAB; at++) {
      const byte = buffer[at]!;
      if (byte >= 48 && byte <= 57) length = length * 10 + byte - 48;
      else {
        const op = OP_CODE[byte]!;
        if (op === 255) break;
        cigar.push((length << 4) | op);
        if (isAligned(op) || op === D || op === N) reference += length;
        length = 0;
      }
    }
    this.refEnd = this.pos + reference - 1;
  }

  /** Reports whether both lines have the same read name. */
  sameName(other: SamRecord): boolean {
    const length = this.ends[0]! - this.start;
    if (other.ends[0]! - other.start !== length) return false;
    const a = this.buffer;
    const b = other.buffer;
    for (let i = length - 1; i >= 0; i--) if (a[this.start + i] !== b[other.start + i]) return false;
    return true;
  }
}

function number(buffer: Buffer, from: number): number {
  let value = 0;
  for (let at = from; ; at++) {
    const digit = buffer[at]! - 48;
    if (digit < 0 || digit > 9) return value;
    value = value * 10 + digit;
  }
}

export const formatCigar = (cigar: readonly number[]): string => {
  let text = '';
  for (const op of cigar) text += (op >> 4) + CIGAR_LETTERS[op & 15]!;
  return text === '' ? '*' : text;
};
