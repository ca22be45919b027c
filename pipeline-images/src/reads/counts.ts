import type { Target } from './target.ts';

/** Columns of a base's counts: seven symbols forward, seven reverse (PILEUP_SYMBOLS), then four more. */
export const SYMBOLS = 7;
export const SYMBOL_N = 4;
export const SYMBOL_INS = 5;
export const SYMBOL_DEL = 6;
export const LOW_QUALITY = 14;
export const DISCORDANT = 15;
export const DEPTH_READS = 16;
export const MQ0 = 17;
export const WIDTH = 18;

/** A change on the fragments of one amplicon. */
export interface AlleleCount {
  forward: number;
  reverse: number;
  baseQuality: number;
  mapQuality: number;
  /** Fragments of these with an unknown base within 2 bp of the change. They may carry a longer change. */
  partialForward: number;
  partialReverse: number;
  readPositions: number[];
  endDistances: number[];
}

/** Number of observations kept for a median. More would hardly change it. */
const MEDIAN_SAMPLES = 2000;

export const newAllele = (): AlleleCount => ({
  forward: 0,
  reverse: 0,
  baseQuality: 0,
  mapQuality: 0,
  partialForward: 0,
  partialReverse: 0,
  readPositions: [],
  endDistances: [],
});

export const total = (allele: AlleleCount): number => allele.forward + allele.reverse;

/** Counts one fragment. */
export function observe(
  allele: AlleleCount,
  reverse: boolean,
  partial: boolean,
  quality: number,
  mapq: number,
  readPosition: number,
  endDistance: number,
): void {
  if (reverse) {
    allele.reverse++;
    if (partial) allele.partialReverse++;
  } else {
    allele.forward++;
    if (partial) allele.partialForward++;
  }
  allele.baseQuality += quality;
  allele.mapQuality += mapq;
  if (allele.readPositions.length < MEDIAN_SAMPLES) {
    allele.readPositions.push(readPosition);
    allele.endDistances.push(endDistance);
  }
}

/** Moves all fragments of `from` to `into`. */
export function merge(into: AlleleCount, from: AlleleCount): void {
  into.forward += from.forward;
  into.reverse += from.reverse;
  into.baseQuality += from.baseQuality;
  into.mapQuality += from.mapQuality;
  into.partialForward += from.partialForward;
  into.partialReverse += from.partialReverse;
  for (let i = 0; i < from.readPositions.length && into.readPositions.length < MEDIAN_SAMPLES; i++) {
    into.readPositions.push(from.readPositions[i]!);
    into.endDistances.push(from.endDistances[i]!);
  }
}

/** Changes on one fragment with at most one unchanged base between two of them. */
export interface Cluster {
  /** The single changes, in order. `ref` and `alt` are trimmed except for an indel's anchor; `pos` is 1-based. */
  atoms: { pos: number; ref: string; alt: string }[];
  count: AlleleCount;
}

/** All counts of one sample. */
export class Counts {
  readonly targets: readonly Target[];
  /** WIDTH numbers per base, by target.offset + position in the insert. */
  readonly bases: Uint32Array;
  /** Sum of the qualities of reference bases, one number per base. */
  readonly refQuality: Float64Array;
  /** Single-base changes by (offset + position) * 4 + code of ALT. */
  readonly snvs = new Map<number, AlleleCount>();
  /** All other changes, by target and text. */
  readonly clusters: Map<string, Cluster>[];
  readonly perTarget: {
    fragments: number;
    forward: number;
    reverse: number;
    mq0: number;
    dimers: number;
    mapq: number;
  }[];
  /** Lengths of assigned fragments with two mates, up to 2047 bp. */
  readonly lengths = new Uint32Array(2048);
  overlapBases = 0;
  discordantBases = 0;

  constructor(targets: readonly Target[]) {
    this.targets = targets;
    const last = targets.at(-1);
    const length = last ? last.offset + last.codes.length : 0;
    this.bases = new Uint32Array(length * WIDTH);
    this.refQuality = new Float64Array(length);
    this.clusters = targets.map(() => new Map());
    this.perTarget = targets.map(() => ({ fragments: 0, forward: 0, reverse: 0, mq0: 0, dimers: 0, mapq: 0 }));
  }
}
