import {
  type AlleleCount,
  type Counts,
  DEPTH_READS,
  DISCORDANT,
  LOW_QUALITY,
  MQ0,
  newAllele,
  observe,
  SYMBOL_DEL,
  SYMBOL_INS,
  SYMBOL_N,
  SYMBOLS,
  WIDTH,
} from './counts.ts';
import { D, FLAG, H, I, isAligned, N, S, type SamRecord } from './sam-record.ts';
import { BASE_CODE, BASES, type Target, windowBases } from './target.ts';

/** What a fragment says about a base, beside the codes 0-3. */
const DELETED = 6;
const UNKNOWN = 4;
const UNCOVERED = 255;
/** At a read's end an aligner prefers mismatches to a gap: this close to its end a read does not contradict its mate's indel. */
const INDEL_EDGE = 10;
/** Quality of a gap, which has none of its own. */
const GAP_QUALITY = 30;

/** An indel of one read; an insertion lies between `at` and `at + 1`, a deletion takes at + 1 … at + length. */
interface Indel {
  at: number;
  length: number;
  /** Inserted bases; undefined for a deletion. */
  bases?: string;
}

/** A change of the merged fragment: reference first..last replaced by `alt`; an insertion has last = first - 1. */
interface Event {
  first: number;
  last: number;
  alt: string;
  quality: number;
}

export interface CountOptions {
  minMapq: number;
  minBaseq: number;
}

/** Counts fragments: overlapping mates count once, and where they disagree the base is N (DESIGN 6). */
export class FragmentCounter {
  private readonly counts: Counts;
  private readonly options: CountOptions;
  private readonly base: [Uint8Array, Uint8Array];
  private readonly quality: [Uint8Array, Uint8Array];
  private readonly indels: [Indel[], Indel[]] = [[], []];
  private events: Event[] = [];

  constructor(counts: Counts, options: CountOptions) {
    this.counts = counts;
    this.options = options;
    const longest = counts.targets.reduce((most, { codes }) => Math.max(most, codes.length), 1);
    this.base = [new Uint8Array(longest), new Uint8Array(longest)];
    this.quality = [new Uint8Array(longest), new Uint8Array(longest)];
  }

  /** `reads`: the mapped primary alignments of one fragment, one or two, clipped already. */
  add(target: Target, reads: readonly SamRecord[]): void {
    const { counts, options } = this;
    const summary = counts.perTarget[target.index]!;
    const one = reads[0]!;
    // F or R is the orientation of the fragment's R1; a lone R2 tells it by being the opposite.
    const reverse = (one.flag & FLAG.read2) !== 0 ? !one.reverse : one.reverse;
    let lo = target.insertEnd + 1;
    let hi = target.insertStart - 1;
    let mapq = 0;
    const used: SamRecord[] = [];
    for (const read of reads) {
      if (read.refEnd < target.insertStart || read.pos > target.insertEnd) continue;
      if (read.mapq < options.minMapq) continue;
      used.push(read);
      lo = Math.min(lo, Math.max(read.pos, target.insertStart));
      hi = Math.max(hi, Math.min(read.refEnd, target.insertEnd));
      mapq = Math.max(mapq, read.mapq);
    }
    summary.fragments++;
    if (reverse) summary.reverse++;
    else summary.forward++;
    if (reads.every((read) => read.mapq === 0)) {
      summary.mq0++;
      this.countMapq0(target, reads);
    }
    if (used.length === 0) return;
    summary.mapq += mapq;
    const length = hi - lo + 1;
    for (const [i, read] of used.entries()) {
      this.base[i]!.fill(UNCOVERED, 0, length);
      this.indels[i]!.length = 0;
      this.fill(read, i as 0 | 1, lo, hi);
    }
    if (used.length === 2) this.reconcile(used, lo, hi);
    this.merge(target, used.length === 2, reverse, lo, length);
    this.collect(target, used, reverse, mapq, lo, hi);
  }

  private countMapq0(target: Target, reads: readonly SamRecord[]): void {
    let lo = target.insertEnd + 1;
    let hi = target.insertStart - 1;
    for (const read of reads) {
      lo = Math.min(lo, Math.max(read.pos, target.insertStart));
      hi = Math.max(hi, Math.min(read.refEnd, target.insertEnd));
    }
    const { bases } = this.counts;
    for (let pos = lo; pos <= hi; pos++) bases[(target.offset + pos - target.insertStart) * WIDTH + MQ0]!++;
  }

  private fill(read: SamRecord, mate: 0 | 1, lo: number, hi: number): void {
    const base = this.base[mate];
    const quality = this.quality[mate];
    const { buffer, seqStart, qualStart, cigar } = read;
    let ref = read.pos;
    let query = 0;
    for (let k = 0; k < cigar.length; k++) {
      const op = cigar[k]! & 15;
      const length = cigar[k]! >> 4;
      if (isAligned(op)) {
        const from = Math.max(0, lo - ref);
        const to = Math.min(length, hi - ref + 1);
        for (let i = from; i < to; i++) {
          base[ref + i - lo] = BASE_CODE[buffer[seqStart + query + i]!]!;
          quality[ref + i - lo] = buffer[qualStart + query + i]! - 33;
        }
        ref += length;
        query += length;
      } else if (op === I) {
        const flanked = k > 0 && isAligned(cigar[k - 1]! & 15) && isAligned((cigar[k + 1] ?? S) & 15);
        if (flanked && ref - 1 >= lo && ref <= hi)
          this.indels[mate].push({
            at: ref - 1,
            length,
            bases: buffer.toString('latin1', seqStart + query, seqStart + query + length),
          });
        query += length;
      } else if (op === D || op === N) {
        const from = Math.max(0, lo - ref);
        const to = Math.min(length, hi - ref + 1);
        for (let i = from; i < to; i++) {
          base[ref + i - lo] = DELETED;
          quality[ref + i - lo] = GAP_QUALITY;
        }
        if (op === D && ref >= lo && ref + length - 1 <= hi) this.indels[mate].push({ at: ref - 1, length });
        ref += length;
      } else if (op === S) query += length;
      else if (op === H) continue;
    }
  }

  /** Lets a mate that ends close to the other's indel keep silent, and drops indels that the mate contradicts. */
  private reconcile(used: readonly SamRecord[], lo: number, hi: number): void {
    for (const mate of [0, 1] as const) {
      const own = this.indels[mate];
      const others = this.indels[1 - mate]!;
      const other = used[1 - mate]!;
      for (let i = own.length - 1; i >= 0; i--) {
        const indel = own[i]!;
        if (others.some((o) => o.at === indel.at && o.length === indel.length && o.bases === indel.bases)) continue;
        const last = indel.bases === undefined ? indel.at + indel.length : indel.at;
        if (other.pos > last + 1 || other.refEnd < indel.at) continue;
        const base = this.base[1 - mate]!;
        if (other.refEnd - last <= INDEL_EDGE) {
          base.fill(UNCOVERED, Math.max(0, indel.at + 1 - lo), Math.max(0, Math.min(hi, other.refEnd) - lo + 1));
        } else if (indel.at - other.pos < INDEL_EDGE) {
          base.fill(UNCOVERED, Math.max(0, other.pos - lo), Math.max(0, Math.min(hi, last) - lo + 1));
        } else if (indel.bases !== undefined) {
          own.splice(i, 1);
        }
        // A contradicted deletion turns into N base by base when the mates are merged.
      }
    }
  }

  /** Puts the two mates into base[0] and counts every base of the fragment. */
  private merge(target: Target, both: boolean, reverse: boolean, lo: number, length: number): void {
    const { counts, options } = this;
    const { bases, refQuality } = counts;
    const [a, b] = this.base;
    const [qa, qb] = this.quality;
    const strand = reverse ? SYMBOLS : 0;
    const first = target.offset + lo - target.insertStart;
    const codes = target.codes;
    const shift = lo - target.insertStart;
    const least = options.minBaseq;
    for (let i = 0; i < length; i++) {
      const row = (first + i) * WIDTH;
      let x = a[i]!;
      let q = qa[i]!;
      let reads = x === UNCOVERED ? 0 : 1;
      let good = x !== UNCOVERED && x !== UNKNOWN && q >= least;
      if (both) {
        const y = b[i]!;
        if (y !== UNCOVERED) {
          reads++;
          const p = qb[i]!;
          if (y !== UNKNOWN && p >= least) {
            if (!good) {
              x = y;
              q = p;
              good = true;
            } else {
              counts.overlapBases++;
              if (x === y) q = Math.max(q, p);
              else {
                counts.discordantBases++;
                bases[row + DISCORDANT]!++;
                x = UNKNOWN;
              }
            }
          }
        }
      }
      if (reads === 0) {
        a[i] = UNCOVERED;
        continue;
      }
      bases[row + DEPTH_READS]! += reads;
      if (!good) {
        bases[row + LOW_QUALITY]!++;
        a[i] = UNCOVERED;
        continue;
      }
      a[i] = x;
      qa[i] = q;
      if (x < 4) {
        bases[row + strand + x]!++;
        if (x === codes[shift + i]) refQuality[first + i]! += q;
      } else bases[row + strand + (x === DELETED ? SYMBOL_DEL : SYMBOL_N)]!++;
    }
  }

  /** Finds the changes of the merged fragment and counts them, those within 2 bp of one another as one. */
  private collect(
    target: Target,
    used: readonly SamRecord[],
    reverse: boolean,
    mapq: number,
    lo: number,
    hi: number,
  ): void {
    const merged = this.base[0];
    const quality = this.quality[0];
    const { codes, insertStart } = target;
    const events = this.events;
    events.length = 0;
    for (let i = 0; i <= hi - lo; i++) {
      const x = merged[i]!;
      const ref = codes[lo + i - insertStart]!;
      if (x < 4 && ref < 4 && x !== ref)
        events.push({ first: lo + i, last: lo + i, alt: BASES[x]!, quality: quality[i]! });
    }
    const substitutions = events.length;
    for (const mate of used.length === 2 ? ([0, 1] as const) : ([0] as const))
      for (const indel of this.indels[mate]) this.addIndel(target, indel, merged, reverse, lo);
    if (events.length === 0) return;
    if (events.length > substitutions) events.sort((a, b) => a.first - b.first || a.last - b.last);
    for (let from = 0; from < events.length; ) {
      let to = from + 1;
      while (to < events.length && events[to]!.first - events[to - 1]!.last <= 2) to++;
      this.count(target, events, from, to, used, reverse, mapq, lo, hi);
      from = to;
    }
  }

  private addIndel(target: Target, indel: Indel, merged: Uint8Array, reverse: boolean, lo: number): void {
    const first = indel.at + 1;
    const last = indel.bases === undefined ? indel.at + indel.length : indel.at;
    if (this.events.some((e) => e.first === first && e.last === last && e.alt === (indel.bases ?? ''))) return;
    for (let pos = first; pos <= last; pos++) if (merged[pos - lo] !== DELETED) return;
    if (indel.bases !== undefined && indel.at >= target.insertStart) {
      const row = (target.offset + indel.at - target.insertStart) * WIDTH;
      this.counts.bases[row + (reverse ? SYMBOLS : 0) + SYMBOL_INS]!++;
    }
    this.events.push({ first, last, alt: indel.bases ?? '', quality: GAP_QUALITY });
  }

  private count(
    target: Target,
    events: readonly Event[],
    from: number,
    to: number,
    used: readonly SamRecord[],
    reverse: boolean,
    mapq: number,
    lo: number,
    hi: number,
  ): void {
    const { counts } = this;
    const one = events[from]!;
    const alone = to - from === 1;
    let allele: AlleleCount | undefined;
    if (alone && one.first === one.last && one.alt.length === 1) {
      const key = (target.offset + one.first - target.insertStart) * 4 + BASE_CODE[one.alt.charCodeAt(0)]!;
      allele = counts.snvs.get(key);
      if (!allele) {
        allele = newAllele();
        counts.snvs.set(key, allele);
      }
    } else {
      const clusters = counts.clusters[target.index]!;
      let key = '';
      for (let i = from; i < to; i++) key += `${events[i]!.first},${events[i]!.last},${events[i]!.alt};`;
      let cluster = clusters.get(key);
      if (!cluster) {
        cluster = { atoms: events.slice(from, to).map((event) => atomOf(target, event)), count: newAllele() };
        clusters.set(key, cluster);
      }
      allele = cluster.count;
    }
    const last = events[to - 1]!.last;
    let quality = one.quality;
    for (let i = from + 1; i < to; i++) quality = Math.min(quality, events[i]!.quality);
    const partial = this.unknownNear(one.first, Math.max(last, one.first), lo, hi);
    const place = placeInRead(used, one.first);
    observe(allele, reverse, partial, quality, mapq, place.position, place.endDistance);
  }

  private unknownNear(first: number, last: number, lo: number, hi: number): boolean {
    const merged = this.base[0];
    for (let pos = Math.max(lo, first - 2); pos <= Math.min(hi, last + 2); pos++) {
      const x = merged[pos - lo]!;
      if (x === UNCOVERED || x === UNKNOWN) return true;
    }
    return false;
  }
}

function atomOf(target: Target, { first, last, alt }: Event): { pos: number; ref: string; alt: string } {
  const ref = windowBases(target, first, last);
  if (ref !== '' && alt !== '') return { pos: first, ref, alt };
  const anchor = windowBases(target, first - 1, first - 1);
  return { pos: first - 1, ref: anchor + ref, alt: anchor + alt };
}

/** Where a change lies in the read that shows it best: from the read's start, and from the nearer end that is left of it. */
function placeInRead(used: readonly SamRecord[], pos: number): { position: number; endDistance: number } {
  let position = 0;
  let endDistance = -1;
  for (const read of used) {
    if (pos < read.pos - 1 || pos > read.refEnd + 1) continue;
    const distance = Math.max(0, Math.min(pos - read.pos, read.refEnd - pos));
    if (distance <= endDistance) continue;
    endDistance = distance;
    position = read.reverse ? read.unclippedEnd - pos + 1 : pos - read.unclippedStart + 1;
  }
  return { position: Math.max(1, position), endDistance: Math.max(0, endDistance) };
}
