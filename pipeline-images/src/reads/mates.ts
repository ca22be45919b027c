import { D, H, I, isAligned, N, S, type SamRecord } from './sam-record.ts';
import { BASE_CODE } from './target.ts';

/** Codes of a fragment's base besides the bases 0-3. */
export const DELETED = 6;
export const UNKNOWN = 4;
export const UNCOVERED = 255;
/** Quality assigned to a gap, which has no own quality. */
export const GAP_QUALITY = 30;
/**
 * Within this distance of its end a read cannot contradict its mate's indel, because aligners prefer mismatches to a
 * gap there.
 */
const INDEL_EDGE = 10;

/** An indel of one read. An insertion is between `at` and `at + 1`, a deletion removes at + 1 … at + length. */
export interface Indel {
  at: number;
  length: number;
  /** Inserted bases. Undefined for a deletion. */
  bases?: string;
}

/** The bases, qualities and indels of a fragment's reads over part of an insert. */
export class Mates {
  /** By read, then by offset from the first position. */
  readonly base: readonly [Uint8Array, Uint8Array];
  readonly quality: readonly [Uint8Array, Uint8Array];
  readonly indels: readonly [Indel[], Indel[]] = [[], []];

  /** `longest`: length of the longest insert. */
  constructor(longest: number) {
    this.base = [new Uint8Array(longest), new Uint8Array(longest)];
    this.quality = [new Uint8Array(longest), new Uint8Array(longest)];
  }

  /** Adds the parts of the reads within lo..hi. */
  read(reads: readonly SamRecord[], lo: number, hi: number): void {
    for (const [i, read] of reads.entries()) {
      this.base[i]!.fill(UNCOVERED, 0, hi - lo + 1);
      this.indels[i]!.length = 0;
      this.#fill(read, i as 0 | 1, lo, hi);
    }
    if (reads.length === 2) this.#reconcile(reads, lo, hi);
  }

  #fill(read: SamRecord, mate: 0 | 1, lo: number, hi: number): void {
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

  /** Ignores a mate that ends close to the other's indel. Drops indels that the mate contradicts. */
  #reconcile(used: readonly SamRecord[], lo: number, hi: number): void {
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
        // Merging the mates turns each base of a contradicted deletion into N.
      }
    }
  }
}
