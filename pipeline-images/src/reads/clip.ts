import { D, H, I, isAligned, N, P, S } from './sam-record.ts';

export interface Clipped {
  pos: number;
  cigar: number[];
  refEnd: number;
}

/**
 * Soft-clips the bases aligned before `from` or after `to` (1-based, both kept). Returns undefined when nothing needs
 * clipping and an empty CIGAR when nothing remains. Also clips an indel at the new edge, because it may be an error of
 * the primer.
 */
export function clipTo(
  pos: number,
  refEnd: number,
  cigar: readonly number[],
  from: number,
  to: number,
): Clipped | undefined {
  if (pos >= from && refEnd <= to) return undefined;
  const kept: number[] = [];
  let hardLeft = 0;
  let hardRight = 0;
  let softLeft = 0;
  let softRight = 0;
  let at = pos;
  let newPos = 0;
  let newEnd = 0;
  const push = (length: number, op: number): void => {
    if (length > 0) kept.push((length << 4) | op);
  };
  for (const [i, item] of cigar.entries()) {
    const op = item & 15;
    const length = item >> 4;
    if (op === H) {
      if (i === 0) hardLeft = length;
      else hardRight = length;
    } else if (op === S) {
      if (kept.length === 0 && softRight === 0) softLeft += length;
      else softRight += length;
    } else if (isAligned(op)) {
      const left = Math.min(length, Math.max(0, from - at));
      const right = Math.min(length - left, Math.max(0, at + length - 1 - to));
      const middle = length - left - right;
      if (kept.length === 0) softLeft += left;
      if (middle > 0) {
        if (kept.length === 0) newPos = at + left;
        push(middle, op);
        newEnd = at + left + middle - 1;
        softRight += right;
      } else if (kept.length > 0 || at > to) softRight += right + (kept.length > 0 ? left : 0);
      else softLeft += right;
      at += length;
    } else if (op === I) {
      if (kept.length > 0 && at <= to && softRight === 0) push(length, I);
      else if (kept.length === 0) softLeft += length;
      else softRight += length;
    } else if (op === D || op === N) {
      if (kept.length > 0 && at + length <= to && softRight === 0) push(length, op);
      at += length;
    } else if (op === P) {
      // Drop padding: it has no meaning in a clipped read.
    }
  }
  // Clip the bases of insertions at the edge and drop deletions there.
  while (kept.length > 0 && !isAligned(kept.at(-1)! & 15)) {
    const last = kept.pop()!;
    if ((last & 15) === I) softRight += last >> 4;
  }
  if (kept.length === 0) return { pos, cigar: [], refEnd: pos - 1 };
  const out: number[] = [];
  if (hardLeft) out.push((hardLeft << 4) | H);
  if (softLeft) out.push((softLeft << 4) | S);
  out.push(...kept);
  if (softRight) out.push((softRight << 4) | S);
  if (hardRight) out.push((hardRight << 4) | H);
  return { pos: newPos, cigar: out, refEnd: newEnd };
}
