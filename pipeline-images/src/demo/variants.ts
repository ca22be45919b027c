/** Places variants and names them. Alleles are normalised as in a VCF. Positions are 1-based. */

import type { Amplicon } from '@seqpanel/crds/panel.ts';
import { reverseComplement } from './bases.ts';
import { codingPart } from './design.ts';
import type { DemoGenome, PlacedGene } from './genome.ts';
import type { Random } from './random.ts';

export interface Variant {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  gene: string;
  /** Coding name on the gene's only transcript. */
  hgvs: string;
}

export type Kind = 'snv' | 'mnv' | 'deletion' | 'insertion';

/** Least distance of a variant from the ends of an insert and from other variants. */
const MARGIN = 12;
const SPACING = 30;
const DELETION_LENGTHS = [1, 2, 3, 6, 12, 18] as const;

/** Returns the 1-based position in the coding sequence of a genomic position, or undefined outside it. */
export function codingPosition(gene: PlacedGene, pos: number): number | undefined {
  let before = 0;
  for (let i = 0; i < gene.exons.length; i++) {
    const part = codingPart(gene, i);
    if (!part) continue;
    if (pos >= part.start && pos <= part.end)
      return before + (gene.strand === '+' ? pos - part.start : part.end - pos) + 1;
    before += part.end - part.start + 1;
  }
  return undefined;
}

/** Returns the c. name of a change of `ref` (at pos) to `alt`, both without anchor base. '' is an empty allele. */
function codingName(gene: PlacedGene, pos: number, ref: string, alt: string): string {
  const at = (p: number): number => codingPosition(gene, p)!;
  const [r, a] = gene.strand === '+' ? [ref, alt] : [reverseComplement(ref), reverseComplement(alt)];
  if (ref.length === 1 && alt.length === 1) return `c.${at(pos)}${r}>${a}`;
  if (ref === '') {
    const [x, y] = [at(pos - 1), at(pos)].sort((m, n) => m - n);
    return `c.${x}_${y}ins${a}`;
  }
  const [from, to] = [at(pos), at(pos + ref.length - 1)].sort((m, n) => m - n);
  const span = from === to ? `${from}` : `${from}_${to}`;
  return alt === '' ? `c.${span}del` : `c.${span}delins${a}`;
}

const other = (random: Random, base: string): string => random.pick(['A', 'C', 'G', 'T'].filter((b) => b !== base));

/**
 * Returns a variant at a random position of an amplicon's insert and exon, or undefined when the position is too close to
 * an end or a neighbour's primer, or the indel could be written at another position too.
 */
function tryVariant(
  random: Random,
  kind: Kind,
  genome: DemoGenome,
  amplicons: readonly Amplicon[],
  pool: readonly Amplicon[],
) {
  const amplicon = random.pick(pool);
  const gene = genome.genes.find((g) => g.name === amplicon.gene)!;
  const { bases } = genome.contigs.find((c) => c.name === amplicon.chrom)!;
  const length = kind === 'snv' ? 1 : kind === 'mnv' ? 2 : kind === 'deletion' ? random.pick(DELETION_LENGTHS) : 0;
  const { start, end } = amplicon.insert;
  const pos = start + MARGIN + random.below(Math.max(1, end - start - 2 * MARGIN - length));
  const [first, last] = [pos - 1, pos + Math.max(length, 1)];
  const parts = gene.exons.map((_, i) => codingPart(gene, i));
  if (!parts.some((part) => part && first >= part.start && last <= part.end)) return undefined;
  const inPrimer = amplicons.some(
    (a) =>
      a.chrom === amplicon.chrom &&
      [a.leftPrimer!, a.rightPrimer!].some((p) => first - 3 <= p.end && last + 3 >= p.start),
  );
  if (inPrimer) return undefined;
  const ref = bases.slice(pos - 1, pos - 1 + length);
  const anchor = bases[pos - 2]!;
  const next = bases[pos - 1 + length]!;
  const describe = (vcfPos: number, vcfRef: string, vcfAlt: string, from: string, to: string): Variant => ({
    chrom: amplicon.chrom,
    pos: vcfPos,
    ref: vcfRef,
    alt: vcfAlt,
    gene: gene.name,
    hgvs: codingName(gene, pos, from, to),
  });
  if (kind === 'snv') {
    const alt = other(random, ref);
    return describe(pos, ref, alt, ref, alt);
  }
  if (kind === 'mnv') {
    const alt = other(random, ref[0]!) + other(random, ref[1]!);
    return describe(pos, ref, alt, ref, alt);
  }
  if (kind === 'deletion') {
    // An indel that can shift by a base has two names. Plant only those with one.
    if (ref.at(-1) === anchor || ref[0] === next) return undefined;
    return describe(pos - 1, anchor + ref, anchor, ref, '');
  }
  const inserted = Array.from({ length: 3 }, () => random.pick(['A', 'C', 'G', 'T'])).join('');
  if (inserted.at(-1) === anchor || inserted[0] === bases[pos - 1]) return undefined;
  return describe(pos - 1, anchor, anchor + inserted, '', inserted);
}

/** Returns `n` variants of the given kinds in turn, apart from each other and from `taken`, in genes without paralogs. */
export function plantVariants(
  random: Random,
  genome: DemoGenome,
  amplicons: readonly Amplicon[],
  kinds: readonly Kind[],
  taken: readonly Variant[],
): Variant[] {
  const pool = amplicons.filter((a) => a.gene!.startsWith('DEMO'));
  const out: Variant[] = [];
  const free = (v: Variant): boolean =>
    [...taken, ...out].every((o) => o.chrom !== v.chrom || Math.abs(o.pos - v.pos) > SPACING);
  for (const kind of kinds) {
    let found: Variant | undefined;
    for (let tries = 0; !found && tries < 10_000; tries++) {
      const candidate = tryVariant(random, kind, genome, amplicons, pool);
      if (candidate && free(candidate)) found = candidate;
    }
    if (!found) throw new Error(`the demo has no room for a variant of kind ${kind}`);
    out.push(found);
  }
  return out;
}

/** Sorts in the order of a VCF. */
export const byPlace = (a: Variant, b: Variant): number =>
  a.chrom === b.chrom ? a.pos - b.pos || (a.alt < b.alt ? -1 : 1) : a.chrom < b.chrom ? -1 : 1;
