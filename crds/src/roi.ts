/**
 * The ROI grid of a preset: the part of the panel that is called, reported and checked for coverage. Alignment, clipping,
 * counting and CNV use every amplicon of the panel file. Positions are 1-based.
 */

import type { PanelFile, Span } from './panel.ts';
import type { Preset, RoiRow } from './preset.ts';

/**
 * Longest amplicon in bases, end - start + 1 [ROI-05]. Of the two readings "difference at most 35000" and "at least 35000"
 * the first applies, because amplicons are shorter than 35 kb.
 */
export const MAX_AMPLICON_SPAN = 35_000;

/** A region to call and report, with its amplicon. */
export interface RoiRegion extends Span {
  amplicon: string;
}

/** Returns the rows for the panel's own inserts, which "use default" selects. */
export function defaultRoiRows(panel: Pick<PanelFile, 'amplicons'>): RoiRow[] {
  return panel.amplicons
    .filter((a) => a.uses === undefined || a.uses.includes('variants'))
    .map((a) => ({ amplicon: a.name, start: a.insert.start, end: a.insert.end }));
}

/** Returns the regions to call and report, in the panel's amplicon order. The grid must be valid (preset-rules.ts). */
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

/** Returns sorted spans in the order of `contigs`. Joins overlapping and adjacent ones. */
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

/** Returns the regions as BED: 0-based start, end excluded, name in the fourth column [ROI-02]. */
export function roiToBed(regions: readonly RoiRegion[]): string {
  return regions.map((r) => `${r.chrom}\t${r.start - 1}\t${r.end}\t${r.amplicon}\n`).join('');
}
