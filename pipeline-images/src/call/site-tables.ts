import type { Hotspot } from '@seqpanel/crds/panel.ts';
import type { Pileup, PileupIndex } from '../reads/pileup-file.ts';
import type { ErrorModel } from './error-model.ts';
import { depthOf } from './evidence.ts';
import type { CallLimits } from './filters.ts';
import type { LimitOfDetection } from './lod.ts';
import type { Roi } from './roi-lookup.ts';
import type { CallRow } from './vcf.ts';

/** Counts, error rate and limit of detection at a site. */
export interface SiteTables {
  pileup: Pileup;
  index: PileupIndex;
  model: ErrorModel;
  limits: CallLimits;
  lod: LimitOfDetection;
}

/** Lines of lod.tsv.gz: every base of the region of interest. */
export function lodLines(roi: Roi, { pileup, index, model, limits, lod }: SiteTables): string[] {
  const lines: string[] = [];
  for (const { chrom, start, end } of roi.spans)
    for (let pos = start; pos <= end; pos++) {
      const slot = index.at(chrom, pos)[0]?.slot;
      const ref = slot === undefined ? 255 : pileup.reference[slot]!;
      const [f, r] = depthOf(pileup, index, chrom, pos);
      if (ref > 3) {
        lines.push(`${chrom}\t${pos}\t${f}\t${r}\t.\t.\t0`);
        continue;
      }
      let error = 0;
      for (const alt of 'ACGT')
        if ('ACGT'[ref] !== alt)
          error = Math.max(error, model.combined([{ chrom, pos, ref: 'ACGT'[ref]!, alt }], f, r));
      const least = lod.at(f + r, error);
      lines.push(
        `${chrom}\t${pos}\t${f}\t${r}\t${error.toExponential(2)}\t${least === undefined ? '.' : least.toFixed(4)}\t${f + r >= limits.minDepth ? 1 : 0}`,
      );
    }
  return lines;
}

/** A limit of detection over this many times the required one makes a hotspot not assessable. */
const LOD_TOLERANCE = 1.5;

/** Lines of hotspots.tsv: present, absent, or not assessable with the reason. */
export function hotspotLines(
  hotspots: readonly Hotspot[],
  rows: readonly CallRow[],
  { pileup, index, model, limits, lod }: SiteTables,
): string[] {
  const text = (c: { chrom: string; pos: number; ref: string; alt: string }): string =>
    [c.chrom, c.pos, c.ref, c.alt].join('\t');
  const byText = new Map(rows.map((row) => [text(row.evidence), row]));
  return hotspots.map((hotspot) => {
    const row = byText.get(text(hotspot));
    const [f, r] = depthOf(pileup, index, hotspot.chrom, hotspot.pos);
    const depth = row?.evidence.depth ?? f + r;
    const least = depth === 0 ? undefined : lod.at(depth, row?.error ?? model.combined([hotspot], f, r));
    const asked = hotspot.lod ?? limits.reportFloor;
    let [state, reason] = ['absent', '.'];
    if (row && row.filters.length === 0) state = 'present';
    else if (depth < limits.minDepth) [state, reason] = ['not_assessable', `depth ${depth} under ${limits.minDepth}`];
    else if (least === undefined || least > Math.max(asked, limits.reportFloor) * LOD_TOLERANCE)
      [state, reason] = ['not_assessable', `limit of detection ${least?.toFixed(4) ?? '.'} over ${asked}`];
    const alt = row ? row.evidence.altF + row.evidence.altR : 0;
    const vaf = depth === 0 ? '.' : (alt / depth).toFixed(5);
    return [hotspot.name, text(hotspot), state, vaf, depth, least?.toFixed(4) ?? '.', reason].join('\t');
  });
}
