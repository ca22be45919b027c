/** Streams the genes around a panel's amplicons as GFF3 for IGV, from the installed gene models. */

import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { rowsOf, type TableRow } from '../background/ingest/read-table.ts';
import type { StoragePlace } from '../storage/inside-storage.ts';

/** Bases on either side of an amplicon whose genes are included, so that zooming out one step still shows genes. */
const MARGIN = 50_000;

type Regions = ReadonlyMap<string, readonly { start: number; end: number }[]>;

export function geneRegions(panel: Pick<PanelFile, 'amplicons'>): Regions {
  const regions = new Map<string, { start: number; end: number }[]>();
  for (const { chrom, start, end } of panel.amplicons) {
    const list = regions.get(chrom) ?? [];
    regions.set(chrom, list);
    const last = list.at(-1);
    // Amplicons are usually sorted by position, so neighbours are merged into one region.
    if (last && start - MARGIN <= last.end && end + MARGIN >= last.start) {
      last.start = Math.min(last.start, start - MARGIN);
      last.end = Math.max(last.end, end + MARGIN);
    } else list.push({ start: start - MARGIN, end: end + MARGIN });
  }
  return regions;
}

/** `genes`: transcripts.tsv.gz of the genome's source of kind `genes`. Throws ENOENT when it is missing. */
export async function* geneTrack(genes: StoragePlace, regions: Regions): AsyncGenerator<string> {
  yield '##gff-version 3\n';
  for await (const row of rowsOf(genes)) {
    const [chrom, start, end] = [row.text('chrom') ?? '', row.number('start') ?? 0, row.number('end') ?? 0];
    if (regions.get(chrom)?.some((region) => start <= region.end && end >= region.start)) yield transcriptLines(row);
  }
}

function transcriptLines(row: TableRow): string {
  const [chrom, id, gene, strand] = ['chrom', 'transcript', 'gene', 'strand'].map((name) => row.text(name) ?? '.');
  const line = (type: string, start: string | number | null, end: string | number | null, attributes: string): string =>
    [chrom, 'seqpanel', type, start, end, '.', strand, type === 'CDS' ? 0 : '.', attributes].join('\t');
  const parts = (column: string, type: string): string[] =>
    (row.text(column)?.split(';') ?? []).map((part) => {
      const [start = '', end = ''] = part.split('-');
      return line(type, start, end, `Parent=${id}`);
    });
  const head = line('mRNA', row.number('start'), row.number('end'), `ID=${id};Name=${gene} ${id};gene=${gene}`);
  return `${[head, ...parts('exons', 'exon'), ...parts('cds', 'CDS')].join('\n')}\n`;
}
