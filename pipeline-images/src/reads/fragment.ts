import { ChangeCounter } from './changes.ts';
import {
  type Counts,
  DEPTH_READS,
  DISCORDANT,
  LOW_QUALITY,
  MQ0,
  SYMBOL_DEL,
  SYMBOL_N,
  SYMBOLS,
  WIDTH,
} from './counts.ts';
import { DELETED, Mates, UNCOVERED, UNKNOWN } from './mates.ts';
import { FLAG, type SamRecord } from './sam-record.ts';
import type { Target } from './target.ts';

export interface CountOptions {
  minMapq: number;
  minBaseq: number;
}

/** Counts fragments. Overlapping mates count once, and a base on which they disagree counts as N. */
export class FragmentCounter {
  readonly #counts: Counts;
  readonly #options: CountOptions;
  readonly #mates: Mates;
  readonly #changes: ChangeCounter;

  constructor(counts: Counts, options: CountOptions) {
    this.#counts = counts;
    this.#options = options;
    this.#mates = new Mates(counts.targets.reduce((most, { codes }) => Math.max(most, codes.length), 1));
    this.#changes = new ChangeCounter(counts, this.#mates);
  }

  /** `reads`: the clipped, mapped primary alignments (one or two) of one fragment. */
  add(target: Target, reads: readonly SamRecord[]): void {
    const [counts, options] = [this.#counts, this.#options];
    const summary = counts.perTarget[target.index]!;
    const one = reads[0]!;
    // F or R is the orientation of the fragment's R1. A lone R2 has the opposite orientation.
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
      this.#countMapq0(target, reads);
    }
    if (used.length === 0) return;
    summary.mapq += mapq;
    this.#mates.read(used, lo, hi);
    this.#merge(target, used.length === 2, reverse, lo, hi - lo + 1);
    this.#changes.add({ target, reads: used, reverse, mapq, lo, hi });
  }

  #countMapq0(target: Target, reads: readonly SamRecord[]): void {
    let lo = target.insertEnd + 1;
    let hi = target.insertStart - 1;
    for (const read of reads) {
      lo = Math.min(lo, Math.max(read.pos, target.insertStart));
      hi = Math.max(hi, Math.min(read.refEnd, target.insertEnd));
    }
    const { bases } = this.#counts;
    for (let pos = lo; pos <= hi; pos++) bases[(target.offset + pos - target.insertStart) * WIDTH + MQ0]!++;
  }

  /** Merges the two mates into the arrays of the first one and counts every base of the fragment. */
  #merge(target: Target, both: boolean, reverse: boolean, lo: number, length: number): void {
    const [counts, options] = [this.#counts, this.#options];
    const { bases, refQuality } = counts;
    const [a, b] = this.#mates.base;
    const [qa, qb] = this.#mates.quality;
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
}
