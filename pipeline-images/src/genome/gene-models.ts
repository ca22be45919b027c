/** Reads the gene models of a GFF3 from Ensembl or NCBI. */

import { type Contig, matchContig } from '@seqpanel/crds/contigs.ts';
import { BadInput } from '../runner/bad-input.ts';
import type { Part, Transcript } from './transcript.ts';

interface Feature {
  parents: string[];
  start: number;
  end: number;
  contig: Contig;
  strand: '+' | '-';
  attributes: ReadonlyMap<string, string>;
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const EXON_LIKE = new Set(['exon', 'CDS', 'five_prime_UTR', 'three_prime_UTR', 'UTR', 'start_codon', 'stop_codon']);
/** The fields kept of a gene or transcript. The file of a whole genome has a gigabyte. */
const KEPT = new Set(['ID', 'Parent', 'Name', 'gene', 'gene_name', 'transcript_id', 'version', 'biotype', 'tag']);

/** Returns the plain accession: Ensembl writes `transcript:ENST…`, NCBI `rna-NM_…`. */
const bare = (id: string): string => id.replace(/^(transcript|gene|rna|CDS|cds)[:-]/, '');

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const pair of text.split(';')) {
    const at = pair.indexOf('=');
    const key = pair.slice(0, at).trim();
    if (at > 0 && KEPT.has(key)) attributes.set(key, decode(pair.slice(at + 1).trim()));
  }
  return attributes;
}

/** Returns a transcript's accession: NCBI's transcript_id, Ensembl's ID with version, otherwise the Name or ID. */
function accession(attributes: ReadonlyMap<string, string>): string {
  const id = attributes.get('transcript_id') ?? bare(attributes.get('ID') ?? '');
  const version = attributes.get('version');
  const named = version && !/\.\d+$/.test(id) ? `${id}.${version}` : id;
  return (named || attributes.get('Name') || '').replace(/[^A-Za-z0-9_.:-]/g, '_');
}

const geneSymbol = (gene: Feature | undefined, transcript: Feature): string =>
  gene?.attributes.get('Name') ??
  gene?.attributes.get('gene') ??
  transcript.attributes.get('gene') ??
  transcript.attributes.get('gene_name') ??
  (gene ? bare(gene.attributes.get('ID') ?? '') : accession(transcript.attributes));

const byStart = (a: Part, b: Part): number => a.start - b.start;

/** Parses a GFF3 line by line. */
export class GeneModelReader {
  readonly #features = new Map<string, Feature>();
  readonly #parts = new Map<string, { exons: Part[]; cds: Part[] }>();
  readonly #contigs = new Map<string, Contig | undefined>();
  readonly #genome: readonly Contig[];
  readonly #name: string;
  #line = 0;

  constructor(genome: readonly Contig[], name: string) {
    this.#genome = genome;
    this.#name = name;
  }

  /** Parses the next line. Throws BadInput when it is not GFF3. */
  push(text: string): void {
    this.#line++;
    if (text === '' || text.startsWith('#')) return;
    const cells = text.split('\t');
    if (cells.length < 9)
      throw new BadInput(this.#name, this.#line, `has ${cells.length} columns instead of the 9 of GFF3`);
    const [start, end] = [Number(cells[3]), Number(cells[4])];
    if (!Number.isInteger(start) || !Number.isInteger(end) || start < 1 || end < start)
      throw new BadInput(this.#name, this.#line, `${cells[3]}-${cells[4]} is not a range`);
    const contig = this.#find(cells[0]!);
    // Skip features beyond the end of a contig: there are no bases to translate.
    if (!contig || end > (contig.length ?? Number.POSITIVE_INFINITY)) return;
    const attributes = attributesOf(cells[8]!);
    const parents = attributes.get('Parent')?.split(',') ?? [];
    const type = cells[2]!;
    if (!EXON_LIKE.has(type)) {
      const id = attributes.get('ID');
      const strand = cells[6] === '-' ? '-' : '+';
      if (id !== undefined) this.#features.set(id, { parents, start, end, contig, strand, attributes });
      return;
    }
    for (const parent of parents) {
      const own = this.#parts.get(parent) ?? { exons: [], cds: [] };
      this.#parts.set(parent, own);
      if (type === 'exon') own.exons.push({ start, end });
      if (type === 'CDS') own.cds.push({ start, end, phase: Number(cells[7]) || 0 });
    }
  }

  #find(name: string): Contig | undefined {
    if (!this.#contigs.has(name)) this.#contigs.set(name, matchContig(this.#genome, { name }));
    return this.#contigs.get(name);
  }

  /**
   * Returns every transcript on the genome, by contig in the genome's order and position. Throws BadInput when there is
   * none.
   */
  transcripts(): Transcript[] {
    const order = new Map(this.#genome.map((contig, i) => [contig.name, i]));
    const taken = new Map<string, number>();
    const out: Transcript[] = [];
    for (const [id, { exons: written, cds: coding }] of this.#parts) {
      const feature = this.#features.get(id);
      if (!feature || written.length + coding.length === 0) continue;
      const cds = coding.toSorted(byStart);
      const exons = (written.length > 0 ? written : coding.map(({ start, end }) => ({ start, end }))).toSorted(byStart);
      const gene = feature.parents.map((parent) => this.#features.get(parent)).find((parent) => parent !== undefined);
      const label = accession(feature.attributes);
      // A transcript in a pseudo-autosomal region is on X and on Y under one accession.
      const copies = (taken.get(label) ?? 0) + 1;
      taken.set(label, copies);
      out.push({
        id: copies === 1 ? label : `${label}_${copies}`,
        gene: geneSymbol(gene, feature).replace(/[^A-Za-z0-9_.-]/g, '_'),
        chrom: feature.contig.name,
        start: Math.min(feature.start, exons[0]!.start),
        end: Math.max(feature.end, exons.at(-1)!.end),
        strand: feature.strand,
        biotype: cds.length > 0 ? 'protein_coding' : (feature.attributes.get('biotype') ?? 'misc_RNA'),
        mane: /MANE[_ ]Select/.test(feature.attributes.get('tag') ?? ''),
        exons,
        cds,
      });
    }
    if (out.length === 0) throw new BadInput(this.#name, undefined, 'contains no gene model on a contig of the genome');
    return out.sort(
      (a, b) =>
        order.get(a.chrom)! - order.get(b.chrom)! || a.start - b.start || a.end - b.end || (a.id < b.id ? -1 : 1),
    );
  }
}
