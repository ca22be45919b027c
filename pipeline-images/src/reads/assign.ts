import type { SamRecord } from './sam-record.ts';
import type { Target } from './target.ts';

/** Allowed distance of a read's start from the first base of its primer. Synthesized primers may be a few bases short. */
export const END_TOLERANCE = 8;

export type Assignment =
  | { kind: 'amplicon'; targets: readonly Target[]; startsInPrimer: boolean }
  | { kind: 'dimer'; targets: readonly Target[] }
  | { kind: 'chimera' | 'off-target'; targets: readonly [] };

const NONE: readonly [] = [];
const CHIMERA: Assignment = { kind: 'chimera', targets: NONE };
const OFF_TARGET: Assignment = { kind: 'off-target', targets: NONE };

interface Near {
  target: Target;
  distance: number;
  /** True at the primer's outer end, false at its inner end, where reads with clipped primers start. */
  outer: boolean;
}

/**
 * Finds the amplicon of a fragment. With primers, by the positions of its two ends. Without primers, every target that
 * it overlaps.
 */
export class Assigner {
  readonly #left = new Map<string, Map<number, Near[]>>();
  readonly #right = new Map<string, Map<number, Near[]>>();
  readonly #open = new Map<string, Target[]>();

  constructor(targets: readonly Target[]) {
    for (const target of targets) {
      if (!target.primers) {
        const list = this.#open.get(target.chrom) ?? [];
        list.push(target);
        this.#open.set(target.chrom, list);
        continue;
      }
      put(this.#left, target, target.start, true);
      put(this.#left, target, target.insertStart, false);
      put(this.#right, target, target.end, true);
      put(this.#right, target, target.insertEnd, false);
    }
    for (const list of this.#open.values()) list.sort((a, b) => a.insertStart - b.insertStart);
  }

  /** `reads`: the mapped primary alignments (one or two) of one fragment. */
  assign(reads: readonly SamRecord[]): Assignment {
    const one = reads[0];
    if (!one) return OFF_TARGET;
    const two = reads[1];
    const byEnds = two ? this.#ofPair(one, two) : this.#ofOne(one);
    if (byEnds !== OFF_TARGET || this.#open.size === 0) return byEnds;
    return this.#ofOverlap(reads);
  }

  #near(read: SamRecord): readonly Near[] {
    const side = read.reverse ? this.#right : this.#left;
    return side.get(read.chrom)?.get(read.reverse ? read.unclippedEnd : read.unclippedStart) ?? NONE;
  }

  #ofPair(one: SamRecord, two: SamRecord): Assignment {
    const a = this.#near(one);
    const b = this.#near(two);
    let best: Near | undefined;
    let least = Number.POSITIVE_INFINITY;
    if (one.reverse !== two.reverse)
      for (const x of a)
        for (const y of b)
          if (x.target === y.target && x.distance + y.distance < least) {
            least = x.distance + y.distance;
            best = x.outer ? x : y;
          }
    if (best) return found(best, [one, two]);
    if (a.length > 0 && b.length > 0) return CHIMERA;
    const [known, read] = a.length > 0 ? [a, two] : [b, one];
    return inside(known, read, [one, two]);
  }

  #ofOne(read: SamRecord): Assignment {
    return inside(this.#near(read), read, [read]);
  }

  #ofOverlap(reads: readonly SamRecord[]): Assignment {
    const hits: Target[] = [];
    for (const read of reads)
      for (const target of this.#open.get(read.chrom) ?? NONE) {
        if (target.insertStart > read.refEnd) break;
        if (target.insertEnd >= read.pos && !hits.includes(target)) hits.push(target);
      }
    return hits.length > 0 ? { kind: 'amplicon', targets: hits, startsInPrimer: false } : OFF_TARGET;
  }
}

function put(side: Map<string, Map<number, Near[]>>, target: Target, end: number, outer: boolean): void {
  let contig = side.get(target.chrom);
  if (!contig) {
    contig = new Map();
    side.set(target.chrom, contig);
  }
  for (let distance = -END_TOLERANCE; distance <= END_TOLERANCE; distance++) {
    const list = contig.get(end + distance) ?? [];
    // Rank inner ends behind all outer ends, so that they only count when no primer matches.
    list.push({ target, distance: Math.abs(distance) + (outer ? 0 : END_TOLERANCE + 1), outer });
    contig.set(end + distance, list);
  }
}

/** Assigns a fragment by its one known end. The other read must lie within that amplicon; it may have been trimmed. */
function inside(known: readonly Near[], read: SamRecord, reads: readonly SamRecord[]): Assignment {
  let best: Near | undefined;
  for (const near of known) {
    const { target } = near;
    if (read.chrom !== target.chrom) continue;
    if (read.pos < target.start - END_TOLERANCE || read.refEnd > target.end + END_TOLERANCE) continue;
    if (!best || near.distance < best.distance) best = near;
  }
  return best ? found(best, reads) : OFF_TARGET;
}

function found({ target, outer }: Near, reads: readonly SamRecord[]): Assignment {
  for (const read of reads)
    if (read.pos <= target.insertEnd && read.refEnd >= target.insertStart)
      return { kind: 'amplicon', targets: [target], startsInPrimer: outer };
  return { kind: 'dimer', targets: [target] };
}
