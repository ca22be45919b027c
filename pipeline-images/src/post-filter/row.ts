/** A call as a row for conditions, with the fields of crds/src/conditions/fields.ts. */

import type { FilterField } from '@seqpanel/crds/conditions/fields.ts';
import type { VcfRecord } from '@seqpanel/crds/vcf.ts';
import { zygosityOf } from '@seqpanel/crds/zygosity.ts';
import { numberOf } from '../tables/read-table.ts';

/** Annotation of an allele: its line of alleles.tsv.gz and the consequence shown first. */
export interface ShownAnnotation {
  allele?: Readonly<Record<string, string>>;
  consequence?: Readonly<Record<string, string>>;
}

/** Annotations of a task by allele key. Consequences are in display order. */
export function indexAnnotation(
  alleles: readonly Record<string, string>[],
  consequences: readonly Record<string, string>[],
): Map<string, ShownAnnotation> {
  const out = new Map<string, ShownAnnotation>();
  for (const allele of alleles) out.set(allele['allele_key']!, { allele });
  for (const consequence of consequences) {
    const known = out.get(consequence['allele_key']!);
    if (known && !known.consequence) known.consequence = consequence;
  }
  return out;
}

/** Returns the annotation of an allele that conditions use. */
export type ConditionRow = Readonly<Partial<Record<FilterField, string | number | boolean>>>;

/** Returns the row of a call without empty fields. `amplicon` is the first of several. */
export function conditionRow(record: VcfRecord, annotation: ShownAnnotation | undefined): ConditionRow {
  const { info, format } = record;
  const count = (key: string, at: number): number | undefined => numberOf(format.get(key)?.split(',')[at]);
  const [forward, reverse] = [count('ADF', 1), count('ADR', 1)];
  const vaf = numberOf(format.get('VAF'));
  const text = (value: string | undefined): string | undefined => (value === '.' || value === '' ? undefined : value);
  const { allele, consequence } = annotation ?? {};
  const row: Record<FilterField, string | number | boolean | undefined> = {
    filter: record.filter,
    chrom: record.chrom,
    pos: record.pos,
    ref: record.ref,
    alt: record.alt,
    type: text(info.get('TYPE')),
    length: numberOf(info.get('LEN')),
    amplicon: text(format.get('AMP')?.split(',')[0]?.split('|')[0]),
    gene: text(consequence?.['gene']),
    transcript: text(consequence?.['transcript']),
    exon: text(consequence?.['exon']),
    consequence: text(consequence?.['consequence']),
    impact: text(consequence?.['impact']),
    hgvs_c: text(consequence?.['hgvs_c']),
    hgvs_p: text(consequence?.['hgvs_p']),
    zygosity: zygosityOf(format.get('GT') ?? null, vaf ?? null) ?? undefined,
    vaf,
    depth: numberOf(format.get('DP')),
    alt_count: count('AD', 1),
    quality: numberOf(format.get('QL')),
    strand_ratio: forward === undefined || !(forward + (reverse ?? 0)) ? undefined : forward / (forward + reverse!),
    strand_p: numberOf(format.get('SB')),
    hotspot: text(info.get('HOTSPOT')),
    is_hotspot: text(info.get('HOTSPOT')) !== undefined,
    run_samples: numberOf(info.get('RUN_N')),
    ntc_fragments: numberOf(info.get('NTC')),
    rsid: text(allele?.['rsid']),
    population_af: numberOf(allele?.['population_af']),
    clinical_significance: text(allele?.['clinvar_terms']),
    sift: numberOf(consequence?.['sift']),
    polyphen: numberOf(consequence?.['polyphen']),
  };
  return row;
}
