/** The distinct alleles of a run and their annotations. Positions are 1-based. */

import type { Contig } from '@seqpanel/crds/contigs.ts';
import type { VcfRecord } from '@seqpanel/crds/vcf.ts';

export interface RunAllele {
  key: string;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
}

/** Counts of a population: alleles, chromosomes and frequency. */
export interface Population {
  name: string;
  ac: string;
  an: string;
  af: string;
}

/** A consequence in one transcript, before transcripts are ranked. */
export interface Consequence {
  transcript: string;
  gene: string;
  terms: string;
  impact: string;
  exon: string;
  intron: string;
  c: string;
  p: string;
}

/** The annotation of an allele. It is the same in every task with the same sources. */
export interface AlleleAnnotation {
  hgvsG: string;
  rsid: string;
  clinvarId: string;
  clinvarTerms: string;
  clinvarStars: string;
  populations: Population[];
  sift: string;
  polyphen: string;
  consequences: Consequence[];
}

/** Collects the distinct alleles of many samples, sample by sample. */
export class AlleleSet {
  readonly #found = new Map<string, RunAllele>();

  add(records: readonly VcfRecord[]): void {
    for (const { chrom, pos, ref, alt, info } of records) {
      const key = info.get('KEY');
      if (key !== undefined && !this.#found.has(key)) this.#found.set(key, { key, chrom, pos, ref, alt });
    }
  }

  /** Returns the alleles in the genome's order. */
  sorted(contigs: readonly Contig[]): RunAllele[] {
    return sortAlleles([...this.#found.values()], contigs);
  }
}

/** Sorts by contig in the genome's order, position and bases. */
export function sortAlleles<A extends Omit<RunAllele, 'key'>>(alleles: A[], contigs: readonly Contig[]): A[] {
  const order = new Map(contigs.map((contig, i) => [contig.name, i]));
  const text = (a: A): string => `${a.ref} ${a.alt}`;
  return alleles.sort(
    (a, b) =>
      (order.get(a.chrom) ?? 0) - (order.get(b.chrom) ?? 0) ||
      a.pos - b.pos ||
      (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0),
  );
}

/** Returns 1-based spans that contain the alleles. Close ones are joined because each span costs a seek. */
export function alleleSpans(alleles: readonly RunAllele[], gap = 200): { chrom: string; start: number; end: number }[] {
  const out: { chrom: string; start: number; end: number }[] = [];
  for (const { chrom, pos, ref } of alleles) {
    const end = pos + ref.length - 1;
    const last = out.at(-1);
    if (last?.chrom === chrom && pos <= last.end + gap) last.end = Math.max(last.end, end);
    else out.push({ chrom, start: pos, end });
  }
  return out;
}
