/** The rows of transcripts.tsv.gz. */

import { cdsLength, type Part, type Transcript } from './transcript.ts';

/** Parts are `start-end` separated by `;`, CDS parts with `/phase`. */
export const TRANSCRIPT_COLUMNS = [
  'chrom',
  'start',
  'end',
  'transcript',
  'gene',
  'strand',
  'biotype',
  'mane',
  'cds_length',
  'exons',
  'cds',
] as const;

const partsText = (parts: readonly Part[]): string =>
  parts.map((p) => `${p.start}-${p.end}${p.phase === undefined ? '' : `/${p.phase}`}`).join(';') || '.';
const partsOf = (text: string): Part[] =>
  text === '.'
    ? []
    : text.split(';').map((part) => {
        const [start, end, phase] = part.split(/[-/]/).map(Number);
        return { start: start!, end: end!, ...(phase === undefined ? {} : { phase }) };
      });

/** Formats a transcript as a line of transcripts.tsv.gz. */
export function formatTranscript(t: Transcript): string {
  const cells = [t.chrom, t.start, t.end, t.id, t.gene, t.strand, t.biotype, t.mane ? 1 : 0, cdsLength(t)];
  return [...cells, partsText(t.exons), partsText(t.cds)].join('\t');
}

/** Parses a line of transcripts.tsv.gz. */
export function parseTranscript(line: string): Transcript {
  const [chrom, start, end, id, gene, strand, biotype, mane, , exons, cds] = line.split('\t');
  return {
    id: id!,
    gene: gene!,
    chrom: chrom!,
    start: Number(start),
    end: Number(end),
    strand: strand as '+' | '-',
    biotype: biotype!,
    mane: mane === '1',
    exons: partsOf(exons!),
    cds: partsOf(cds!),
  };
}
