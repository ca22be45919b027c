/**
 * The ROI grid of a preset (SPEC 5, DESIGN 8): which part of the panel is called, reported and measured for coverage.
 * Alignment, clipping, counting and CNV use every amplicon of the panel file. Positions are 1-based.
 */

import type { PanelFile, Span } from './panel.ts';
import type { Preset, RoiRow } from './preset.ts';

/**
 * The longest amplicon, in bases, counted as end - start + 1. The spec gives two readings: "difference at most 35000"
 * and "start and end must differ by at least 35000". No amplicon is 35 kb long, so the first is taken.
 */
export const MAX_AMPLICON_SPAN = 35_000;

/** A region that is called and reported, and the amplicon it belongs to. */
export interface RoiRegion extends Span {
  amplicon: string;
}

/** The grid's rows for a panel's own inserts: what "use default" stands for. */
export function defaultRoiRows(panel: Pick<PanelFile, 'amplicons'>): RoiRow[] {
  return panel.amplicons
    .filter((a) => a.uses === undefined || a.uses.includes('variants'))
    .map((a) => ({ amplicon: a.name, start: a.insert.start, end: a.insert.end }));
}

/** The regions to call and report, in the panel's amplicon order; the grid must keep the rules of preset-rules.ts. */
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
