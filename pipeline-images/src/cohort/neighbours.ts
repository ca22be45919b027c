import type { SampleRow } from '../runner/frozen.ts';

/** Returns row and column of a well from 0, or undefined when the text is not a well. */
export function parseWell(well: string | undefined): { row: number; column: number } | undefined {
  const m = /^([A-P])0?([1-9]|1\d|2[0-4])$/i.exec(well ?? '');
  return m ? { row: m[1]!.toUpperCase().charCodeAt(0) - 65, column: Number(m[2]) - 1 } : undefined;
}

/** Returns how reads of one sample could get into another: `i7`, `i5`, `well` (adjacent wells) or undefined. */
export function contactOf(a: SampleRow, b: SampleRow): 'i7' | 'i5' | 'well' | undefined {
  if (a.i7 !== undefined && a.i7 === b.i7) return 'i7';
  if (a.i5 !== undefined && a.i5 === b.i5) return 'i5';
  const [p, q] = [parseWell(a.well), parseWell(b.well)];
  if (p && q && Math.abs(p.row - q.row) <= 1 && Math.abs(p.column - q.column) <= 1) return 'well';
  return undefined;
}

export const sharesIndexOrWell = (a: SampleRow, b: SampleRow): boolean => contactOf(a, b) !== undefined;
