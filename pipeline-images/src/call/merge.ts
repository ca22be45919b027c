import { alleleKey, alleleType } from '@seqpanel/crds/allele.ts';
import type { Evidence } from './evidence.ts';
import type { CallerAllele } from './freebayes.ts';

/** Evidence of a call, and the caller that found it. */
export interface Called {
  evidence: Evidence;
  caller: 'counts' | 'freebayes' | 'both';
  /** The allele of freebayes with its genotype, if it has one. */
  germline?: CallerAllele;
}

interface Place {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
}

const textOf = ({ chrom, pos, ref, alt }: Place): string => `${chrom}\t${pos}\t${ref}\t${alt}`;

/** Alleles whose frequencies differ by more than this are different alleles, even if they overlap. */
const SAME_EVENT = 0.5;

/**
 * Merges counted alleles and alleles of freebayes. An allele found by both is one call with the counts. An allele of
 * freebayes that overlaps a counted one of similar frequency is another spelling of it and is dropped. Other alleles of
 * freebayes keep their own counts.
 */
export function joinCalls(
  counted: readonly Evidence[],
  called: readonly CallerAllele[],
  genome: string,
  canonical: ReadonlyMap<string, string>,
): Called[] {
  const byText = new Map(counted.map((evidence) => [textOf(evidence), evidence]));
  const germline = new Map(called.map((allele) => [textOf(allele), allele]));
  const calls: Called[] = counted.map((evidence) => {
    const allele = germline.get(textOf(evidence));
    return allele ? { evidence, caller: 'both', germline: allele } : { evidence, caller: 'counts' };
  });
  for (const allele of called) {
    if (byText.has(textOf(allele))) continue;
    const vaf = frequency(allele.altF + allele.altR, allele.depth);
    const known = counted.some(
      (evidence) =>
        touches(evidence, allele) && frequency(evidence.altF + evidence.altR, evidence.depth) >= SAME_EVENT * vaf,
    );
    if (known) continue;
    calls.push({ evidence: evidenceOf(allele, genome, canonical), caller: 'freebayes', germline: allele });
  }
  return calls;
}

const frequency = (alt: number, depth: number): number => (depth === 0 ? 0 : alt / depth);

const touches = (a: Place, b: Place): boolean =>
  a.chrom === b.chrom && a.pos <= b.pos + b.ref.length + 1 && b.pos <= a.pos + a.ref.length + 1;

function evidenceOf(a: CallerAllele, genome: string, canonical: ReadonlyMap<string, string>): Evidence {
  const { chrom, pos, ref, alt } = a;
  return {
    key: alleleKey(genome, { chrom: canonical.get(chrom) ?? chrom, pos, ref, alt }),
    chrom,
    pos,
    ref,
    alt,
    ...alleleType(ref, alt),
    hapId: undefined,
    atoms: `${pos}:${ref}>${alt}`,
    refF: a.refF,
    refR: a.refR,
    altF: a.altF,
    altR: a.altR,
    depth: a.depth,
    refBq: 0,
    altBq: a.altBq,
    refMq: 0,
    altMq: a.altMq,
    readPos: 0,
    endDistance: Number.MAX_SAFE_INTEGER,
    primerDistance: undefined,
    homopolymer: 0,
    paralog: undefined,
    hotspot: undefined,
    amplicons: [],
  };
}
