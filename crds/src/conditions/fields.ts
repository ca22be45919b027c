/** The fields of a variant row that conditions may name, with their types: post-filter and tertiary analysis share them. */

export type FieldType = 'number' | 'text' | 'boolean';

/** Frequencies are fractions, counts are fragments. */
export const FILTER_FIELDS = {
  filter: 'text',
  chrom: 'text',
  pos: 'number',
  ref: 'text',
  alt: 'text',
  type: 'text',
  length: 'number',
  amplicon: 'text',
  gene: 'text',
  transcript: 'text',
  exon: 'text',
  consequence: 'text',
  impact: 'text',
  hgvs_c: 'text',
  hgvs_p: 'text',
  zygosity: 'text',
  vaf: 'number',
  depth: 'number',
  alt_fragments: 'number',
  quality: 'number',
  strand_ratio: 'number',
  strand_p: 'number',
  hotspot: 'boolean',
  run_samples: 'number',
  ntc_fragments: 'number',
  rsid: 'text',
  population_af: 'number',
  clinvar: 'text',
  sift: 'number',
  polyphen: 'number',
} as const satisfies Readonly<Record<string, FieldType>>;

export type FilterField = keyof typeof FILTER_FIELDS;
