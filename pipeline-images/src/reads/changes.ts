import { type AlleleCount, type Counts, newAllele, observe, SYMBOL_INS, SYMBOLS, WIDTH } from './counts.ts';
import { DELETED, GAP_QUALITY, type Indel, type Mates, UNCOVERED, UNKNOWN } from './mates.ts';
import type { SamRecord } from './sam-record.ts';
import { BASE_CODE, BASES, type Target, windowBases } from './target.ts';

/** A change of the merged fragment: `alt` replaces reference first..last. An insertion has last = first - 1. */
interface Event {
  first: number;
  last: number;
  alt: string;
  quality: number;
}

/** A fragment whose mates have been merged into the arrays of the first read. */
export interface MergedFragment {
  target: Target;
  reads: readonly SamRecord[];
  reverse: boolean;
  mapq: number;
  /** First and last position of the insert that it covers. */
  lo: number;
  hi: number;
}

/** Finds the changes of merged fragments. Counts changes within 2 bp of each other as one. */
export class ChangeCounter {
  readonly #counts: Counts;
  readonly #mates: Mates;
  readonly #events: Event[] = [];

  constructor(counts: Counts, mates: Mates) {
    this.#counts = counts;
    this.#mates = mates;
  }

  add(fragment: MergedFragment): void {
    const { target, reads, lo, hi } = fragment;
    const [merged] = this.#mates.base;
    const [quality] = this.#mates.quality;
    const { codes, insertStart } = target;
    const events = this.#events;
    events.length = 0;
    for (let i = 0; i <= hi - lo; i++) {
      const x = merged[i]!;
      const ref = codes[lo + i - insertStart]!;
      if (x < 4 && ref < 4 && x !== ref)
        events.push({ first: lo + i, last: lo + i, alt: BASES[x]!, quality: quality[i]! });
    }
    const substitutions = events.length;
    for (const mate of reads.length === 2 ? ([0, 1] as const) : ([0] as const))
      for (const indel of this.#mates.indels[mate]) this.#addIndel(fragment, indel);
    if (events.length === 0) return;
    if (events.length > substitutions) events.sort((a, b) => a.first - b.first || a.last - b.last);
    for (let from = 0; from < events.length; ) {
      let to = from + 1;
      while (to < events.length && events[to]!.first - events[to - 1]!.last <= 2) to++;
      this.#count(fragment, from, to);
      from = to;
    }
  }

  #addIndel({ target, reverse, lo }: MergedFragment, indel: Indel): void {
    const [merged] = this.#mates.base;
    const first = indel.at + 1;
    const last = indel.bases === undefined ? indel.at + indel.length : indel.at;
    if (this.#events.some((e) => e.first === first && e.last === last && e.alt === (indel.bases ?? ''))) return;
    for (let pos = first; pos <= last; pos++) if (merged[pos - lo] !== DELETED) return;
    if (indel.bases !== undefined && indel.at >= target.insertStart) {
      const row = (target.offset + indel.at - target.insertStart) * WIDTH;
      this.#counts.bases[row + (reverse ? SYMBOLS : 0) + SYMBOL_INS]!++;
    }
    this.#events.push({ first, last, alt: indel.bases ?? '', quality: GAP_QUALITY });
  }

  #count({ target, reads, reverse, mapq, lo, hi }: MergedFragment, from: number, to: number): void {
    const [counts, events] = [this.#counts, this.#events];
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
    const partial = this.#unknownNear(one.first, Math.max(last, one.first), lo, hi);
    const place = placeInRead(reads, one.first);
    observe(allele, reverse, partial, quality, mapq, place.position, place.endDistance);
  }

  #unknownNear(first: number, last: number, lo: number, hi: number): boolean {
    const [merged] = this.#mates.base;
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

/** Returns the position of a change in the read that shows it best: from the read's start and from its nearer end. */
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
