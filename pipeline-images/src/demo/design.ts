/** The demo's panel: amplicons over the coding exons, in two pools where they overlap. */

import type { Amplicon } from '@seqpanel/crds/panel.ts';
import type { DemoGenome, PlacedGene } from './genome.ts';

export const AMPLICON_LENGTH = 230;
export const PRIMER_LENGTH = 22;
const INSERT_LENGTH = AMPLICON_LENGTH - 2 * PRIMER_LENGTH;
/** Bases by which inserts extend into introns. */
const EXON_MARGIN = 6;
/** Bases shared by neighbouring inserts of one exon. */
const OVERLAP = 30;

/** The exon that the panel leaves out, to show "not designed". */
export const NOT_DESIGNED = { gene: 'DEMO6', exon: 4 } as const;

/** Returns the coding part of an exon, or undefined when it is all UTR. */
export function codingPart(gene: PlacedGene, index: number): { start: number; end: number } | undefined {
  const exon = gene.exons[index]!;
  const part = { start: Math.max(exon.start, gene.cds.start), end: Math.min(exon.end, gene.cds.end) };
  return part.start <= part.end ? part : undefined;
}

function tiles(from: number, to: number): number[] {
  const length = to - from + 1;
  const n = length <= INSERT_LENGTH ? 1 : Math.ceil((length - OVERLAP) / (INSERT_LENGTH - OVERLAP));
  const centre = (from + to) / 2;
  const step = n === 1 ? 0 : (length - INSERT_LENGTH) / (n - 1);
  return Array.from({ length: n }, (_, i) =>
    n === 1 ? Math.round(centre - INSERT_LENGTH / 2) : Math.round(from + i * step),
  );
}

/** Returns the amplicons of every designed exon, sorted by position. */
export function designAmplicons(genome: DemoGenome): Amplicon[] {
  return genome.genes
    .flatMap((gene) =>
      gene.exons.flatMap((_, index): Amplicon[] => {
        const part = codingPart(gene, index);
        const exon = index + 1;
        if (!part || (gene.name === NOT_DESIGNED.gene && exon === NOT_DESIGNED.exon)) return [];
        return tiles(part.start - EXON_MARGIN, part.end + EXON_MARGIN).map((insertStart, tile) => {
          const start = insertStart - PRIMER_LENGTH;
          const end = start + AMPLICON_LENGTH - 1;
          const insertEnd = end - PRIMER_LENGTH;
          return {
            name: `${gene.name}_E${exon}_${tile + 1}`,
            chrom: gene.chrom,
            start,
            end,
            insert: { start: insertStart, end: insertEnd },
            leftPrimer: { start, end: insertStart - 1 },
            rightPrimer: { start: insertEnd + 1, end },
            pool: `${(tile % 2) + 1}`,
            gene: gene.name,
            exon: `${exon}`,
            strand: gene.strand,
          };
        });
      }),
    )
    .sort((a, b) => (a.chrom === b.chrom ? a.start - b.start : a.chrom < b.chrom ? -1 : 1));
}
