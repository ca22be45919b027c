/** Regions of the panel that the stage `qc` measures. */

import { NO_VALUE } from '@seqpanel/crds/outputs/table.ts';
import { mergedSpans, roiRegions } from '@seqpanel/crds/roi.ts';
import { transcriptsOf } from '../annotation/consequences.ts';
import { RANKS, rankTranscripts } from '../annotation/rank.ts';
import type { Transcript } from '../genome/transcript.ts';
import type { Frozen } from '../runner/frozen.ts';
import type { TaskContext } from '../runner/step-definition.ts';
import { codingExons, type Exon, hotspotsIn, outside } from './coverage.ts';
import { DepthIndex } from './depths.ts';

/** Returns the regions, exons and index that are the same in every sample. */
export async function panelLayout(context: TaskContext) {
  const { panel, preset, genome } = context.frozen;
  const contigs = genome.contigs.map((c) => c.name);
  const inserts = mergedSpans(
    panel.amplicons.map((a) => ({ chrom: a.chrom, ...a.insert })),
    contigs,
  );
  const regions = roiRegions(preset.roi, panel);
  const genes = mergedSpans(
    panel.amplicons.map((a) => ({ chrom: a.chrom, start: a.start, end: a.end })),
    contigs,
  );
  const transcripts = shownTranscripts(await transcriptsOf(context, genes), panel.transcripts ?? {});
  const exons = codingExons(panel, transcripts, contigs);
  return { inserts, regions, roi: mergedSpans(regions, contigs), exons, index: new DepthIndex(panel) };
}

/** Returns the transcript shown first for each gene. */
function shownTranscripts(
  transcripts: readonly Transcript[],
  preferred: Readonly<Record<string, string>>,
): Transcript[] {
  const ranks = rankTranscripts(transcripts, preferred);
  const rank = (t: Transcript): number => RANKS.indexOf(ranks.get(t.id) ?? 'other');
  return [...Map.groupBy(transcripts, (t) => t.gene).values()].map(
    (own) => own.toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1))[0]!,
  );
}

export type PanelLayout = Awaited<ReturnType<typeof panelLayout>>;

/** Returns the lines of gaps.tsv.gz for regions without insert: exons of the gene models, and regions named by the panel. */
export function notDesignedLines({ panel }: Frozen, { exons, inserts }: PanelLayout): string[] {
  const named = (panel.notDesigned ?? []).map((n) => ({ ...n, gene: n.gene ?? NO_VALUE, exon: n.exon ?? NO_VALUE }));
  const found = exons.flatMap((exon: Exon) =>
    outside(exon, inserts).map((part) => ({ ...part, gene: exon.gene, exon: exon.exon })),
  );
  const lines = [...named, ...found].map(({ gene, exon, chrom, start, end }) =>
    [
      NO_VALUE,
      gene,
      exon,
      chrom,
      start,
      end,
      NO_VALUE,
      'not_designed',
      hotspotsIn({ chrom, start, end }, panel.hotspots ?? []),
    ].join('\t'),
  );
  return [...new Set(lines)];
}
