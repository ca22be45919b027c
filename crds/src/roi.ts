/**
 * The ROI grid of a preset (SPEC 5, DESIGN 8): which part of the panel is called, reported and measured for coverage.
 * Alignment, clipping, counting and CNV use every amplicon of the panel file. Positions are 1-based.
 */

import type { Amplicon, PanelFile, Span } from './panel.ts';
import type { Preset, RoiRow } from './preset.ts';
import type { Problem } from './problem.ts';

/**
 * The longest amplicon, in bases, counted as end - start + 1. The spec gives two readings: "difference at most 35000"
 * and "start and end must differ by at least 35000". No amplicon is 35 kb long, so the first is taken.
 */
export const MAX_AMPLICON_SPAN = 35_000;

/** A region that is called and reported, and the amplicon it belongs to. */
export interface RoiRegion extends Span {
  amplicon: string;
}

const filled = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function rowProblems(row: RoiRow, path: string, amplicons: ReadonlyMap<string, Amplicon>): Problem[] {
  const amplicon = amplicons.get(row.amplicon);
  if (!filled(row.amplicon)) return [{ path: `${path}.amplicon`, message: 'cannot be empty' }];
  if (!amplicon) return [{ path: `${path}.amplicon`, message: `${row.amplicon} is not an amplicon of the panel` }];
  for (const key of ['start', 'end'] as const) {
    if (!filled(row[key])) return [{ path: `${path}.${key}`, message: 'cannot be empty' }];
    if (!Number.isInteger(row[key]) || row[key] < 1)
      return [{ path: `${path}.${key}`, message: 'must be a whole number of at least 1' }];
  }
  if (row.start > row.end)
    return [{ path: `${path}.start`, message: `start ${row.start} is greater than end ${row.end}` }];
  if (row.end - row.start + 1 > MAX_AMPLICON_SPAN)
    return [{ path, message: `spans ${row.end - row.start + 1} bases; at most ${MAX_AMPLICON_SPAN} are allowed` }];
  const { insert } = amplicon;
  if (row.start < insert.start || row.end > insert.end) {
    const message = `${row.start}-${row.end} lies outside the insert ${insert.start}-${insert.end} of ${row.amplicon}`;
    return [{ path, message }];
  }
  return locationProblems(row, path, amplicon);
}

function locationProblems(row: RoiRow, path: string, amplicon: Amplicon): Problem[] {
  const location = row.location as { chrom?: string; start?: number; end?: number } | undefined;
  const given = [location?.chrom, location?.start, location?.end].filter(filled).length;
  if (given === 0) return [];
  if (given < 3) return [{ path: `${path}.location`, message: 'chr, start and end must be all filled or all blank' }];
  const { chrom, start, end } = location as { chrom: string; start: number; end: number };
  if (start > end) return [{ path: `${path}.location`, message: `start ${start} is greater than end ${end}` }];
  if (chrom !== amplicon.chrom || start < row.start || end > row.end) {
    const message = `${chrom}:${start}-${end} lies outside ${amplicon.chrom}:${row.start}-${row.end}`;
    return [{ path: `${path}.location`, message }];
  }
  return [];
}

/** What is wrong with a preset's ROI grid for a panel; empty when nothing is. */
export function roiProblems(roi: Preset['roi'], panel: Pick<PanelFile, 'amplicons'>): Problem[] {
  if (panel.amplicons.length === 0) return [{ path: 'roi', message: 'the panel must have ROI data' }];
  if (roi.useDefault) return [];
  if (roi.rows.length === 0) return [{ path: 'roi', message: 'the panel must have ROI data' }];
  const amplicons = new Map(panel.amplicons.map((a) => [a.name, a]));
  return roi.rows.flatMap((row, i) => rowProblems(row, `roi.rows[${i}]`, amplicons));
}

/** The grid's rows for a panel's own inserts: what "use default" stands for. */
export function defaultRoiRows(panel: Pick<PanelFile, 'amplicons'>): RoiRow[] {
  return panel.amplicons
    .filter((a) => a.uses === undefined || a.uses.includes('variants'))
    .map((a) => ({ amplicon: a.name, start: a.insert.start, end: a.insert.end }));
}

/** The regions to call and report, in the panel's amplicon order; the grid must be free of problems. */
export function roiRegions(roi: Preset['roi'], panel: Pick<PanelFile, 'amplicons'>): RoiRegion[] {
  const rows = roi.useDefault ? defaultRoiRows(panel) : roi.rows;
  const byName = new Map(panel.amplicons.map((a) => [a.name, a]));
  const order = new Map(panel.amplicons.map((a, i) => [a.name, i]));
  return rows
    .flatMap((row): RoiRegion[] => {
      const amplicon = byName.get(row.amplicon);
      if (!amplicon) return [];
      const { start, end } = row.location ?? row;
      return [{ amplicon: row.amplicon, chrom: amplicon.chrom, start, end }];
    })
    .sort((a, b) => order.get(a.amplicon)! - order.get(b.amplicon)! || a.start - b.start);
}

/** Regions as sorted, non-overlapping spans in the order of `contigs`, adjacent ones joined. */
export function mergedSpans(regions: readonly Span[], contigs: readonly string[]): Span[] {
  const order = new Map(contigs.map((name, i) => [name, i]));
  const rank = (chrom: string): number => order.get(chrom) ?? contigs.length;
  const sorted = [...regions].sort((a, b) => rank(a.chrom) - rank(b.chrom) || a.start - b.start || a.end - b.end);
  const out: Span[] = [];
  for (const { chrom, start, end } of sorted) {
    const last = out.at(-1);
    if (last && last.chrom === chrom && start <= last.end + 1) last.end = Math.max(last.end, end);
    else out.push({ chrom, start, end });
  }
  return out;
}

/** Regions as BED text: 0-based start, end excluded, name in the fourth column (ROI-02). */
export function roiToBed(regions: readonly RoiRegion[]): string {
  return regions.map((r) => `${r.chrom}\t${r.start - 1}\t${r.end}\t${r.amplicon}\n`).join('');
}
