/** Gene models of a GFF3, of Ensembl's and of NCBI's writing alike. Positions are 1-based, both ends included. */

import { type Contig, matchContig } from '@seqpanel/crds/contigs.ts';
import { BadInput } from '../step/bad-input.ts';

export interface Part {
  start: number;
  end: number;
  /** CDS only: bases to skip to the first whole codon. */
  phase?: number;
}

export interface Transcript {
  /** Accession with its version, where the file tells one. */
  id: string;
  gene: string;
  /** The genome's name of the contig. */
  chrom: string;
  start: number;
  end: number;
  strand: '+' | '-';
  biotype: string;
  mane: boolean;
  /** In ascending order of position. */
  exons: Part[];
  cds: Part[];
}

interface Feature {
  id: string;
  parents: string[];
  type: string;
  chrom: string;
  start: number;
  end: number;
  strand: '+' | '-';
  phase: number;
  attributes: Map<string, string>;
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const EXON_LIKE = new Set(['exon', 'CDS', 'five_prime_UTR', 'three_prime_UTR', 'UTR', 'start_codon', 'stop_codon']);

/** Ensembl writes `transcript:ENST…`, NCBI `rna-NM_…`: the accession alone is what people know. */
const bare = (id: string): string => id.replace(/^(transcript|gene|rna|gene-|CDS|cds)[:-]/, '');

function parseLine(text: string, line: number, name: string): Feature | undefined {
  if (text === '' || text.startsWith('#')) return undefined;
  const cells = text.split('\t');
  if (cells.length < 9) throw new BadInput(name, line, `has ${cells.length} columns where GFF3 has 9`);
  const [start, end] = [Number(cells[3]), Number(cells[4])];
  if (!Number.isInteger(start) || !Number.isInteger(end) || start < 1 || end < start)
    throw new BadInput(name, line, `${cells[3]}-${cells[4]} is not a range`);
  const attributes = new Map<string, string>();
  for (const pair of cells[8]!.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0) attributes.set(pair.slice(0, at).trim(), decode(pair.slice(at + 1).trim()));
  }
  return {
    id: attributes.get('ID') ?? '',
    parents: attributes.get('Parent')?.split(',') ?? [],
    type: cells[2]!,
    chrom: cells[0]!,
    start,
    end,
    strand: cells[6] === '-' ? '-' : '+',
    phase: Number(cells[7]) || 0,
    attributes,
  };
}

/** The accession of a transcript: NCBI's transcript_id, Ensembl's ID with its version, else the Name or ID. */
function accession(feature: Feature): string {
  const { attributes } = feature;
  const id = attributes.get('transcript_id') ?? bare(feature.id);
  const version = attributes.get('version');
  const named = version && !/\.\d+$/.test(id) ? `${id}.${version}` : id;
  return (named || attributes.get('Name') || '').replace(/[^A-Za-z0-9_.:-]/g, '_');
}

const geneSymbol = (gene: Feature | undefined, transcript: Feature): string =>
  gene?.attributes.get('Name') ??
  gene?.attributes.get('gene') ??
  transcript.attributes.get('gene') ??
  transcript.attributes.get('gene_name') ??
  (gene ? bare(gene.id) : accession(transcript));

/**
 * Every transcript of the file that lies on the genome, in the genome's contig order and by position.
 * Throws BadInput with the line of what is no GFF3, and when no gene model is left.
 */
export function parseGff3(text: string, contigs: readonly Contig[], name: string): Transcript[] {
  const features = new Map<string, Feature>();
  const parts = new Map<string, { exons: Part[]; cds: Part[] }>();
  text.split(/\r?\n/).forEach((raw, i) => {
    const feature = parseLine(raw, i + 1, name);
    if (!feature) return;
    if (!EXON_LIKE.has(feature.type)) {
      if (feature.id !== '') features.set(feature.id, feature);
      return;
    }
    for (const parent of feature.parents) {
      const own = parts.get(parent) ?? { exons: [], cds: [] };
      parts.set(parent, own);
      if (feature.type === 'exon') own.exons.push({ start: feature.start, end: feature.end });
      if (feature.type === 'CDS') own.cds.push({ start: feature.start, end: feature.end, phase: feature.phase });
    }
  });
  const order = new Map(contigs.map((contig, i) => [contig.name, i]));
  const named = new Map<string, Contig | undefined>();
  const taken = new Map<string, number>();
  const transcripts: Transcript[] = [];
  for (const [id, own] of parts) {
    const feature = features.get(id);
    if (!feature) continue;
    if (!named.has(feature.chrom)) named.set(feature.chrom, matchContig(contigs, { name: feature.chrom }));
    const contig = named.get(feature.chrom);
    // A reference may end before the genome does: what lies beyond has no bases to translate.
    if (!contig || feature.end > (contig.length ?? Number.POSITIVE_INFINITY)) continue;
    const chrom = contig.name;
    const byStart = (a: Part, b: Part): number => a.start - b.start;
    const cds = own.cds.toSorted(byStart);
    const exons = (own.exons.length > 0 ? own.exons : own.cds.map(({ start, end }) => ({ start, end }))).toSorted(
      byStart,
    );
    const gene = feature.parents.map((parent) => features.get(parent)).find((parent) => parent !== undefined);
    const label = accession(feature);
    // A transcript in the pseudo-autosomal regions stands on X and on Y under one accession.
    const copies = (taken.get(label) ?? 0) + 1;
    taken.set(label, copies);
    const tags = `${feature.attributes.get('tag') ?? ''},${feature.attributes.get('tags') ?? ''}`;
    transcripts.push({
      id: copies === 1 ? label : `${label}_${copies}`,
      gene: geneSymbol(gene, feature).replace(/[^A-Za-z0-9_.-]/g, '_'),
      chrom,
      start: Math.min(feature.start, exons[0]!.start),
      end: Math.max(feature.end, exons.at(-1)!.end),
      strand: feature.strand,
      biotype: cds.length > 0 ? 'protein_coding' : (feature.attributes.get('biotype') ?? 'misc_RNA'),
      mane: /MANE[_ ]Select/.test(tags),
      exons,
      cds,
    });
  }
  if (transcripts.length === 0) throw new BadInput(name, undefined, 'holds no gene model that lies on the genome');
  return transcripts.sort(
    (a, b) => order.get(a.chrom)! - order.get(b.chrom)! || a.start - b.start || a.end - b.end || (a.id < b.id ? -1 : 1),
  );
}

/** The transcripts as a plain GFF3 whose IDs are their accessions, which is what snpEff then reports. */
export function toGff3(transcripts: readonly Transcript[]): string {
  const lines = ['##gff-version 3'];
  // A symbol on two contigs is two genes to snpEff.
  const genes = Map.groupBy(transcripts, (t) => `${t.gene}\t${t.chrom}\t${t.strand}`);
  let n = 0;
  for (const [key, own] of genes) {
    const [gene, chrom, strand] = key.split('\t');
    const id = `gene${++n}`;
    const row = (type: string, start: number, end: number, phase: string, attributes: string): void => {
      lines.push([chrom, 'seqpanel', type, start, end, '.', strand, phase, attributes].join('\t'));
    };
    const [start, end] = [Math.min(...own.map((t) => t.start)), Math.max(...own.map((t) => t.end))];
    const coding = own.some((t) => t.cds.length > 0);
    row('gene', start, end, '.', `ID=${id};Name=${gene};biotype=${coding ? 'protein_coding' : own[0]!.biotype}`);
    for (const t of own) {
      row('mRNA', t.start, t.end, '.', `ID=${t.id};Parent=${id};Name=${t.id};biotype=${t.biotype}`);
      for (const exon of t.exons) row('exon', exon.start, exon.end, '.', `Parent=${t.id}`);
      for (const cds of t.cds) row('CDS', cds.start, cds.end, `${cds.phase ?? 0}`, `Parent=${t.id}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Columns of transcripts.tsv.gz; parts are `start-end` with `;` between. */
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

const partsText = (parts: readonly Part[]): string => parts.map((p) => `${p.start}-${p.end}`).join(';') || '.';
const partsOf = (text: string): Part[] =>
  text === '.'
    ? []
    : text.split(';').map((part) => ({ start: Number(part.split('-')[0]), end: Number(part.split('-')[1]) }));

/** Bases of the coding sequence. */
export const cdsLength = (transcript: Pick<Transcript, 'cds'>): number =>
  transcript.cds.reduce((sum, part) => sum + part.end - part.start + 1, 0);

/** A transcript as a line of transcripts.tsv.gz. */
export function formatTranscript(t: Transcript): string {
  const cells = [t.chrom, t.start, t.end, t.id, t.gene, t.strand, t.biotype, t.mane ? 1 : 0, cdsLength(t)];
  return [...cells, partsText(t.exons), partsText(t.cds)].join('\t');
}

/** The inverse of formatTranscript (phases are not kept: the order of codons is snpEff's affair). */
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
