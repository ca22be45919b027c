/** The synthetic genome: contigs with genes on both strands and two pairs of paralogs. Positions are 1-based. */

import { createHash } from 'node:crypto';
import { reverseComplement } from './bases.ts';
import { type GeneSequence, makeGene, makeParalog, randomBases } from './gene.ts';
import type { Random } from './random.ts';

export interface PlacedGene {
  name: string;
  transcript: string;
  chrom: string;
  strand: '+' | '-';
  start: number;
  end: number;
  /** In the order of the transcript. */
  exons: { start: number; end: number }[];
  cds: { start: number; end: number };
}

export interface DemoGenome {
  contigs: { name: string; bases: string; md5: string }[];
  genes: PlacedGene[];
  paralogs: {
    name: string;
    genes: [string, string];
    sites: { positions: [number, number]; bases: [string, string] }[];
  }[];
}

interface Plan {
  contig: string;
  length: number;
  genes: { name: string; strand: '+' | '-'; exons: number[]; intron: number; paralogOf?: string }[];
}

/** Exon sizes in codons. The names show that the genes are made up. */
const PLAN: readonly Plan[] = [
  {
    contig: 'demo1',
    length: 150_000,
    genes: [
      { name: 'DEMO1', strand: '+', exons: [40, 52, 48, 44, 38, 60], intron: 900 },
      { name: 'DEMO2', strand: '-', exons: [45, 50, 41, 46, 58], intron: 1200 },
      { name: 'DEMO3', strand: '-', exons: [80, 42, 47, 50], intron: 800 },
      { name: 'PARA1', strand: '+', exons: [44, 48], intron: 300 },
      { name: 'PARA2', strand: '+', exons: [44, 48], intron: 300, paralogOf: 'PARA1' },
    ],
  },
  {
    contig: 'demo2',
    length: 110_000,
    genes: [
      { name: 'DEMO4', strand: '+', exons: [50, 46, 90, 40, 43, 52], intron: 700 },
      { name: 'DEMO5', strand: '-', exons: [42, 55, 47, 44, 50], intron: 1000 },
      { name: 'PARB1', strand: '-', exons: [46, 44], intron: 300 },
      { name: 'PARB2', strand: '-', exons: [46, 44], intron: 300, paralogOf: 'PARB1' },
    ],
  },
  {
    contig: 'demo3',
    length: 60_000,
    genes: [{ name: 'DEMO6', strand: '+', exons: [48, 54, 50, 46, 44], intron: 900 }],
  },
];

/** Bases between genes. */
const SPACER = 4_000;

function place(gene: GeneSequence, chrom: string, strand: '+' | '-', at: number, number: number): PlacedGene {
  const { length } = gene.sense;
  // `at` is the 0-based offset of the gene's first base on the contig.
  const span = (part: { start: number; end: number }) =>
    strand === '+'
      ? { start: at + part.start + 1, end: at + part.end }
      : { start: at + length - part.end + 1, end: at + length - part.start };
  return {
    name: gene.name,
    transcript: `DEMOT${String(number).padStart(5, '0')}.1`,
    chrom,
    strand,
    start: at + 1,
    end: at + length,
    exons: gene.exons.map(span),
    cds: span(gene.cds),
  };
}

/** Makes the genome. The same random source gives the same genome. */
export function makeGenome(random: Random): DemoGenome {
  const made = new Map<string, { gene: GeneSequence; differences: number[] }>();
  const genes: PlacedGene[] = [];
  const contigs = PLAN.map(({ contig, length, genes: planned }) => {
    let bases = randomBases(random, SPACER);
    for (const { name, strand, exons, intron, paralogOf } of planned) {
      const origin = paralogOf === undefined ? undefined : made.get(paralogOf)!.gene;
      const copy = origin && makeParalog(origin, name);
      const gene = copy?.paralog ?? makeGene(random, name, exons, intron);
      made.set(name, { gene, differences: copy?.differences ?? [] });
      genes.push(place(gene, contig, strand, bases.length, genes.length + 1));
      bases += strand === '+' ? gene.sense : reverseComplement(gene.sense);
      bases += randomBases(random, SPACER, bases);
    }
    bases += randomBases(random, length - bases.length, bases);
    return { name: contig, bases, md5: createHash('md5').update(bases).digest('hex') };
  });
  const paralogs = PLAN.flatMap(({ contig, genes: planned }) =>
    planned.flatMap(({ name, paralogOf }) => {
      if (paralogOf === undefined) return [];
      const bases = contigs.find((c) => c.name === contig)!.bases;
      const pair = [paralogOf, name].map((n) => genes.find((g) => g.name === n)!) as [PlacedGene, PlacedGene];
      const sites = made.get(name)!.differences.map((offset) => {
        const positions = pair.map((g) => (g.strand === '+' ? g.start + offset : g.end - offset)) as [number, number];
        return { positions, bases: positions.map((p) => bases[p - 1]!) as [string, string] };
      });
      return [{ name: name.slice(0, -1), genes: [paralogOf, name] as [string, string], sites }];
    }),
  );
  return { contigs, genes, paralogs };
}

/** Returns the contigs as FASTA with 60 bases per line. */
export function toFasta({ contigs }: DemoGenome): string {
  return contigs.map((c) => `>${c.name} synthetic, made by SeqPanel\n${c.bases.replace(/.{1,60}/g, '$&\n')}`).join('');
}

/** Returns the gene models as GFF3. */
export function toGff({ genes }: DemoGenome): string {
  const lines = ['##gff-version 3', '#!synthetic, made by SeqPanel'];
  for (const gene of genes) {
    const row = (type: string, start: number, end: number, phase: number | '.', attributes: string): void => {
      lines.push([gene.chrom, 'SeqPanel', type, start, end, '.', gene.strand, phase, attributes].join('\t'));
    };
    const id = gene.transcript;
    row('gene', gene.start, gene.end, '.', `ID=gene:${gene.name};Name=${gene.name};biotype=protein_coding`);
    row(
      'mRNA',
      gene.start,
      gene.end,
      '.',
      `ID=transcript:${id};Parent=gene:${gene.name};transcript_id=${id};tag=MANE_Select;biotype=protein_coding`,
    );
    let coded = 0;
    for (const exon of gene.exons) {
      row('exon', exon.start, exon.end, '.', `Parent=transcript:${id}`);
      const [start, end] = [Math.max(exon.start, gene.cds.start), Math.min(exon.end, gene.cds.end)];
      if (start > end) continue;
      row('CDS', start, end, (3 - (coded % 3)) % 3, `ID=CDS:${id};Parent=transcript:${id}`);
      coded += end - start + 1;
    }
  }
  return `${lines.join('\n')}\n`;
}
