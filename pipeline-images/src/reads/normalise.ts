/** A change of the reference, as in a VCF: `pos` is 1-based, `ref` and `alt` are upper case. */
export interface Change {
  pos: number;
  ref: string;
  alt: string;
}

/**
 * Trims the change and shifts it left as far as the window allows, like `bcftools norm`. `window` contains reference
 * bases from `windowStart` on.
 */
export function normalise(change: Change, window: string, windowStart: number): Change {
  let { pos, ref, alt } = change;
  const before = (at: number): string | undefined => window[at - windowStart];
  for (;;) {
    if (ref.length > 0 && alt.length > 0 && ref.at(-1) === alt.at(-1) && (ref.length > 1 || alt.length > 1)) {
      ref = ref.slice(0, -1);
      alt = alt.slice(0, -1);
    } else if (ref.length === 0 || alt.length === 0) {
      const base = before(pos - 1);
      if (base === undefined) {
        // At the start of the window use the following base as anchor, as at the first base of a contig.
        const after = before(pos + ref.length) ?? 'N';
        return { pos, ref: ref + after, alt: alt + after };
      }
      pos--;
      ref = base + ref;
      alt = base + alt;
    } else break;
  }
  while (ref.length > 1 && alt.length > 1 && ref[0] === alt[0]) {
    ref = ref.slice(1);
    alt = alt.slice(1);
    pos++;
  }
  return { pos, ref, alt };
}

/** Returns the length of the longest run of one base at the change or right after its anchor. */
export function homopolymer(change: Change, window: string, windowStart: number): number {
  const indel = change.ref.length !== change.alt.length;
  const first = change.pos - windowStart + (indel ? 1 : 0);
  let longest = 1;
  for (const at of [first - 1, first, first + change.ref.length - (indel ? 1 : 0)]) {
    const base = window[at];
    if (base === undefined) continue;
    let left = at;
    let right = at;
    while (window[left - 1] === base) left--;
    while (window[right + 1] === base) right++;
    longest = Math.max(longest, right - left + 1);
  }
  return longest;
}
