import type { Assigner } from './assign.ts';
import { clipTo } from './clip.ts';
import type { Counts } from './counts.ts';
import type { FragmentCounter } from './fragment.ts';
import { FLAG, formatCigar, SamRecord } from './sam-record.ts';

const NEWLINE = 10;
const AT = 64;
const TAB = 9;

/** Totals of the fragments, besides the counts per base. */
export interface FilterTotals {
  reads: number;
  mappedReads: number;
  fragments: number;
  mappedFragments: number;
  assigned: number;
  chimeric: number;
  dimers: number;
  startsInPrimer: number;
}

export interface FilterOptions {
  /** Header lines to write before the first alignment, each with its line end. */
  header: string;
  /** Tags to append to every alignment, with a leading tab. */
  readGroup: string;
  /** New contig name by old name. Empty when the input already uses the genome's names. */
  rename: ReadonlyMap<string, string>;
  clip: boolean;
}

/** Aligner tags worth keeping. Others only make the file larger. */
const KEPT_TAGS = ['NM', 'AS', 'SA', 'XA', 'MD'];
/** Tags that are wrong once the CIGAR has changed. */
const CIGAR_TAGS = ['NM', 'MD'];
/** Encodes two letters as one number, to recognize a tag without creating a string. */
const letters = (first: number, second: number): number => (first << 8) | second;
const numbers = (tags: readonly string[]): Set<number> =>
  new Set(tags.map((tag) => letters(tag.charCodeAt(0), tag.charCodeAt(1))));
const KEPT = numbers(KEPT_TAGS);
const KEPT_OF_EDITED = numbers(KEPT_TAGS.filter((tag) => !CIGAR_TAGS.includes(tag)));

/**
 * The filter between aligner and sort. Takes alignments grouped by read name, assigns each fragment to an amplicon, clips
 * its primers, counts it and passes the lines on with the sample's read group.
 */
export class SamFilter {
  readonly totals: FilterTotals = {
    reads: 0,
    mappedReads: 0,
    fragments: 0,
    mappedFragments: 0,
    assigned: 0,
    chimeric: 0,
    dimers: 0,
    startsInPrimer: 0,
  };
  readonly #assigner: Assigner;
  readonly #counter: FragmentCounter;
  readonly #counts: Counts;
  readonly #options: FilterOptions;
  readonly #names: Map<string, string>;
  readonly #pool: SamRecord[] = [];
  #group: SamRecord[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #out: Buffer = Buffer.allocUnsafe(1 << 18);
  #used = 0;
  #headerDone = false;
  readonly #apTags: Buffer[];
  readonly #rg: Buffer;

  constructor(counts: Counts, assigner: Assigner, counter: FragmentCounter, options: FilterOptions) {
    this.#counts = counts;
    this.#assigner = assigner;
    this.#counter = counter;
    this.#options = options;
    this.#names = new Map(options.rename);
    for (const target of counts.targets)
      if (!this.#names.has(target.chrom)) this.#names.set(target.chrom, target.chrom);
    this.#apTags = counts.targets.map(({ name }) => Buffer.from(`\tap:Z:${name}`));
    this.#rg = Buffer.from(options.readGroup);
  }

  /** Takes SAM text and returns the lines that are ready. The returned bytes are valid until the next call. */
  push(chunk: Buffer): Buffer {
    const buffer = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    let groupStart = 0;
    for (;;) {
      const end = buffer.indexOf(NEWLINE, at);
      if (end < 0) break;
      if (buffer[at] !== AT) {
        const record = this.#pool.pop() ?? new SamRecord();
        record.parse(buffer, at, end, this.#names);
        if (this.#group.length > 0 && !record.sameName(this.#group[0]!)) {
          this.#finishGroup();
          groupStart = at;
        }
        this.#group.push(record);
      } else groupStart = end + 1;
      at = end + 1;
    }
    // The last group may continue in the next chunk, so read its lines again with that chunk.
    this.#pool.push(...this.#group);
    this.#group = [];
    this.#rest = buffer.subarray(groupStart);
    return this.#take();
  }

  /** Ends the input and returns the remaining lines. */
  finish(): Buffer {
    const rest = this.#rest;
    let at = 0;
    while (at < rest.length) {
      const end = rest.indexOf(NEWLINE, at);
      if (end < 0) break;
      const record = new SamRecord();
      record.parse(rest, at, end, this.#names);
      this.#group.push(record);
      at = end + 1;
    }
    if (this.#group.length > 0) this.#finishGroup();
    if (!this.#headerDone) this.#writeText(this.#options.header);
    this.#headerDone = true;
    return this.#take();
  }

  #take(): Buffer {
    const ready = this.#out.subarray(0, this.#used);
    this.#used = 0;
    return ready;
  }

  #finishGroup(): void {
    const group = this.#group;
    const { totals } = this;
    if (!this.#headerDone) {
      this.#writeText(this.#options.header);
      this.#headerDone = true;
    }
    const primaries: SamRecord[] = [];
    let counted = 0;
    for (const read of group) {
      if (!read.primary) continue;
      counted++;
      if (read.mapped && (read.flag & FLAG.qcFail) === 0) primaries.push(read);
    }
    totals.reads += counted;
    totals.mappedReads += primaries.length;
    totals.fragments++;
    let tag = -1;
    if (primaries.length > 0 && primaries.length <= 2) {
      totals.mappedFragments++;
      tag = this.#place(primaries);
    }
    for (const read of group) this.#write(read, tag);
    this.#pool.push(...group);
    group.length = 0;
  }

  /** Assigns, clips and counts a fragment. Returns the index of its amplicon. */
  #place(primaries: SamRecord[]): number {
    const { totals } = this;
    if (primaries.length === 2 && (primaries[0]!.flag & FLAG.read2) !== 0) primaries.reverse();
    const found = this.#assigner.assign(primaries);
    if (found.kind === 'chimera') totals.chimeric++;
    if (found.kind === 'dimer') {
      totals.dimers++;
      this.#counts.perTarget[found.targets[0]!.index]!.dimers++;
    }
    if (found.kind !== 'amplicon') return -1;
    totals.assigned++;
    if (found.startsInPrimer) totals.startsInPrimer++;
    const target = found.targets[0]!;
    if (primaries.length === 2) {
      const [a, b] = primaries as [SamRecord, SamRecord];
      const length = Math.max(a.unclippedEnd, b.unclippedEnd) - Math.min(a.unclippedStart, b.unclippedStart) + 1;
      if (length > 0 && length < this.#counts.lengths.length) this.#counts.lengths[length]!++;
    }
    let left = primaries;
    if (target.primers && this.#options.clip) {
      for (const read of primaries) {
        const clipped = clipTo(read.pos, read.refEnd, read.cigar, target.insertStart, target.insertEnd);
        if (!clipped) continue;
        read.edited = true;
        read.cigar = clipped.cigar;
        read.pos = clipped.pos;
        read.refEnd = clipped.refEnd;
      }
      left = primaries.filter((read) => read.cigar.length > 0);
    }
    if (left.length > 0) for (const one of found.targets) this.#counter.add(one, left);
    return target.index;
  }

  #write(read: SamRecord, tag: number): void {
    const { buffer, start, end, ends } = read;
    const tagBytes = tag >= 0 ? this.#apTags[tag]! : undefined;
    const mate = this.#group.find((other) => other !== read && other.primary);
    const edited = read.edited || mate?.edited === true || this.#options.rename.size > 0;
    this.#reserve(end - start + 512 + (tagBytes?.length ?? 0) + this.#rg.length);
    if (!edited) this.#copy(buffer, start, ends[10]!);
    else {
      this.#copy(buffer, start, ends[0]!);
      this.#writeText(this.#middle(read, mate));
      this.#copy(buffer, ends[8]!, ends[10]!);
    }
    this.#writeTags(read);
    if (tagBytes) this.#copy(tagBytes, 0, tagBytes.length);
    this.#copy(this.#rg, 0, this.#rg.length);
    this.#out[this.#used++] = NEWLINE;
  }

  /** Returns FLAG to TLEN of a line after its position or its mate's has changed. */
  #middle(read: SamRecord, mate: SamRecord | undefined): string {
    const lost = read.edited && read.cigar.length === 0;
    const mateLost = mate?.edited === true && mate.cigar.length === 0;
    let flag = read.flag;
    // A read that was clipped completely becomes unmapped.
    if (lost) flag = (flag | FLAG.unmapped) & ~2;
    if (mateLost) flag = (flag | FLAG.mateUnmapped) & ~2;
    const old = (field: number): string => read.buffer.toString('latin1', read.ends[field - 1]! + 1, read.ends[field]!);
    const name = (text: string): string => this.#options.rename.get(text) ?? text;
    const cigar = lost ? '*' : read.edited ? formatCigar(read.cigar) : old(5);
    const matePos = mate?.mapped || mateLost ? String(mate!.pos) : old(7);
    // An unmapped read takes the position of its mate.
    const pos = !read.mapped && mate?.edited ? mate.pos : read.pos;
    return `\t${flag}\t${name(old(2))}\t${pos}\t${lost ? 0 : old(4)}\t${cigar}\t${name(old(6))}\t${matePos}\t${this.#templateLength(read, mate, old(8))}`;
  }

  #templateLength(read: SamRecord, mate: SamRecord | undefined, old: string): string | number {
    if (!read.edited && !mate?.edited) return old;
    if (!mate || read.cigar.length === 0 || mate.cigar.length === 0 || mate.chrom !== read.chrom) return 0;
    const left = Math.min(read.pos, mate.pos);
    const right = Math.max(read.refEnd, mate.refEnd);
    const sign = read.pos < mate.pos || (read.pos === mate.pos && (read.flag & FLAG.read1) !== 0) ? 1 : -1;
    return sign * (right - left + 1);
  }

  #writeTags(read: SamRecord): void {
    const { buffer, end } = read;
    const kept = read.edited ? KEPT_OF_EDITED : KEPT;
    let at = read.ends[10]!;
    while (at < end) {
      let next = at + 1;
      while (next < end && buffer[next] !== TAB) next++;
      if (kept.has(letters(buffer[at + 1]!, buffer[at + 2]!))) this.#copy(buffer, at, next);
      at = next;
    }
  }

  #copy(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    from.copy(this.#out, this.#used, start, end);
    this.#used += end - start;
  }

  #writeText(text: string): void {
    this.#reserve(text.length);
    this.#used += this.#out.write(text, this.#used, 'latin1');
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#out.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#out.length * 2, this.#used + bytes));
    this.#out.copy(larger, 0, 0, this.#used);
    this.#out = larger;
  }
}
