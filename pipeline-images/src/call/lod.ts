import { lnBinomialTail, variantQuality } from '@seqpanel/crds/statistics.ts';
import type { CallLimits } from './filters.ts';

const LN_95 = Math.log(0.95);

/** Limits of detection by depth and error rate. Results are cached because many bases share both. */
export class LimitOfDetection {
  readonly #limits: CallLimits;
  readonly #known = new Map<string, number | undefined>();

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  /** Returns the lowest frequency found with 95 % certainty, or undefined when even a pure variant would be missed. */
  at(depth: number, error: number): number | undefined {
    const need = this.#fewest(depth, error);
    if (need === undefined) return undefined;
    const key = `${depth},${need}`;
    if (this.#known.has(key)) return this.#known.get(key);
    let [low, high] = [0, 1];
    for (let i = 0; i < 24; i++) {
      const middle = (low + high) / 2;
      if (lnBinomialTail(need, depth, middle) >= LN_95) high = middle;
      else low = middle;
    }
    const lod = Math.max(high, this.#limits.reportFloor);
    this.#known.set(key, lod);
    return lod;
  }

  /** Returns the fewest ALT fragments that make a call. */
  #fewest(depth: number, error: number): number | undefined {
    // Round the rate to four digits, which is more than its precision.
    const rounded = Number(error.toPrecision(2));
    const key = `n${depth},${rounded}`;
    if (this.#known.has(key)) return this.#known.get(key);
    let need: number | undefined = Math.max(this.#limits.minAlt, Math.ceil(this.#limits.reportFloor * depth));
    while (need <= depth && variantQuality(need, depth, rounded) < this.#limits.minQuality) need++;
    if (need > depth) need = undefined;
    this.#known.set(key, need);
    return need;
  }
}
