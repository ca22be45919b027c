/** Coverage of exons, and gaps in the region of interest. Pure. Positions are 1-based, both ends included. */

import { AMPLICON_DEPTHS } from '@seqpanel/crds/outputs/reads.ts';
import { NO_VALUE } from '@seqpanel/crds/outputs/table.ts';
import type { Hotspot, PanelFile, Span } from '@seqpanel/crds/panel.ts';
import { mergedSpans, type RoiRegion } from '@seqpanel/crds/roi.ts';
import type { Transcript } from '../genome/transcript.ts';
import type { DepthIndex } from './depths.ts';

/** An exon of a gene, or an amplicon of a gene without an installed gene model. */
export interface Exon extends Span {
  gene: string;
  transcript: string;
  exon: string;
}

/** Returns the coding exons of the panel's genes, in the transcript shown first for each gene. */
export function codingExons(
  panel: Pick<PanelFile, 'amplicons'>,
  transcripts: readonly Transcript[],
  contigs: readonly string[],
): Exon[] {
  const genes = new Set(panel.amplicons.flatMap((a) => a.gene ?? []));
  const modelled = transcripts.filter((t) => genes.has(t.gene) && t.cds.length > 0);
  const named = new Set(modelled.map((t) => t.gene));
  const fromModels = modelled.flatMap((t) =>
    t.exons.flatMap((exon, i): Exon[] => {
      const number = t.strand === '+' ? i + 1 : t.exons.length - i;
      return t.cds
        .filter((part) => part.start <= exon.end && part.end >= exon.start)
        .map(({ start, end }) => ({ gene: t.gene, transcript: t.id, exon: `${number}`, chrom: t.chrom, start, end }));
    }),
  );
  // For a gene without a model, use its amplicons' inserts and exon names.
  const rest = Map.groupBy(
    panel.amplicons.filter((a) => a.gene !== undefined && !named.has(a.gene)),
    (a) => `${a.gene}\t${a.exon ?? NO_VALUE}`,
  );
  const fromAmplicons = [...rest].flatMap(([key, amplicons]) => {
    const [gene, exon] = key.split('\t');
    const spans = mergedSpans(
      amplicons.map((a) => ({ chrom: a.chrom, ...a.insert })),
      contigs,
    );
    return spans.map((span) => ({ gene: gene!, transcript: NO_VALUE, exon: exon!, ...span }));
  });
  return [...fromModels, ...fromAmplicons];
}

/** Returns the parts of a span inside sorted, merged spans. */
export function inside(span: Span, merged: readonly Span[]): Span[] {
  return merged.flatMap((m) => {
    if (m.chrom !== span.chrom || m.end < span.start || m.start > span.end) return [];
    return [{ chrom: span.chrom, start: Math.max(m.start, span.start), end: Math.min(m.end, span.end) }];
  });
}

/** Returns the parts of a span outside sorted, merged spans. */
export function outside(span: Span, merged: readonly Span[]): Span[] {
  const out: Span[] = [];
  let from = span.start;
  for (const part of inside(span, merged)) {
    if (part.start > from) out.push({ chrom: span.chrom, start: from, end: part.start - 1 });
    from = part.end + 1;
  }
  if (from <= span.end) out.push({ chrom: span.chrom, start: from, end: span.end });
  return out;
}

const bases = (spans: readonly Span[]): number => spans.reduce((sum, { start, end }) => sum + end - start + 1, 0);

/** Returns the lines of gene_coverage.tsv.gz for a sample. `roi` and `inserts` are merged spans. */
export function coverageLines(
  sample: string,
  exons: readonly Exon[],
  roi: readonly Span[],
  inserts: readonly Span[],
  index: DepthIndex,
  depths: Uint32Array,
): string[] {
  return exons.map((exon) => {
    const target = inside(exon, roi);
    const notDesigned = bases(outside(exon, inserts));
    let sum = 0;
    let min = Number.POSITIVE_INFINITY;
    const reached = AMPLICON_DEPTHS.map(() => 0);
    for (const { chrom, start, end } of target) {
      for (let pos = start; pos <= end; pos++) {
        const at = index.at(chrom, pos);
        const depth = at === undefined ? 0 : depths[at]!;
        sum += depth;
        min = Math.min(min, depth);
        AMPLICON_DEPTHS.forEach((threshold, i) => {
          if (depth >= threshold) reached[i]!++;
        });
      }
    }
    const n = bases(target);
    const shares = reached.map((r) => (n === 0 ? NO_VALUE : ((100 * r) / n).toFixed(2)));
    const [mean, least] = n === 0 ? [NO_VALUE, NO_VALUE] : [(sum / n).toFixed(2), min];
    return [sample, exon.gene, exon.transcript, exon.exon, n, notDesigned, mean, least, ...shares].join('\t');
  });
}

export interface RoiCoverage {
  bases: number;
  covered: number;
  depthSum: number;
  gaps: { chrom: string; start: number; end: number; min: number }[];
}

/** Returns the depth of the region of interest and its intervals under `gapDepth`. `roi` is merged. */
export function roiCoverage(
  roi: readonly Span[],
  index: DepthIndex,
  depths: Uint32Array,
  gapDepth: number,
): RoiCoverage {
  const out: RoiCoverage = { bases: 0, covered: 0, depthSum: 0, gaps: [] };
  for (const { chrom, start, end } of roi) {
    let open: RoiCoverage['gaps'][number] | undefined;
    for (let pos = start; pos <= end; pos++) {
      const at = index.at(chrom, pos);
      const depth = at === undefined ? 0 : depths[at]!;
      out.bases++;
      out.depthSum += depth;
      if (depth >= gapDepth) {
        out.covered++;
        open = undefined;
      } else if (open) {
        open.end = pos;
        open.min = Math.min(open.min, depth);
      } else {
        open = { chrom, start: pos, end: pos, min: depth };
        out.gaps.push(open);
      }
    }
  }
  return out;
}

/** Returns gene and exon of a position, from the amplicon of the region of interest that contains it. */
export function labelOf(place: Span, regions: readonly RoiRegion[], panel: Pick<PanelFile, 'amplicons'>) {
  const region = regions.find((r) => r.chrom === place.chrom && r.start <= place.end && r.end >= place.start);
  const amplicon = panel.amplicons.find((a) => a.name === region?.amplicon);
  return { gene: amplicon?.gene ?? NO_VALUE, exon: amplicon?.exon ?? NO_VALUE };
}

/** Returns the names of the hotspots in a span, separated by `;`. */
export function hotspotsIn(place: Span, hotspots: readonly Hotspot[]): string {
  const names = hotspots.filter(
    (h) => h.chrom === place.chrom && h.pos <= place.end && h.pos + h.ref.length - 1 >= place.start,
  );
  return names.map((h) => h.name).join(';') || NO_VALUE;
}
