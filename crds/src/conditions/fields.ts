/**
 * The fields that conditions may name. One vocabulary: a field is called as its column of the variant table is, so that
 * post-filter, table filters and tertiary analysis say the same by the same words.
 */

import { type ColumnType, VARIANT_COLUMNS } from '../variant-columns.ts';

/** A list is a text with several values at once: a condition looks for one among them. */
export type FieldType = 'number' | 'text' | 'boolean' | 'list';

/** What a preset's post-filter may name. Frequencies are fractions, counts are fragments; `filter` holds PASS or the reasons. */
export const FILTER_FIELDS = {
  filter: 'list',
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
  alt_count: 'number',
  quality: 'number',
  strand_ratio: 'number',
  strand_p: 'number',
  hotspot: 'text',
  is_hotspot: 'boolean',
  run_samples: 'number',
  ntc_fragments: 'number',
  rsid: 'text',
  population_af: 'number',
  clinical_significance: 'text',
  sift: 'number',
  polyphen: 'number',
} as const satisfies Readonly<Record<string, FieldType>>;

export type FilterField = keyof typeof FILTER_FIELDS;

const TYPE_OF_COLUMN: Readonly<Record<ColumnType, FieldType>> = {
  text: 'text',
  choice: 'text',
  number: 'number',
  integer: 'number',
  fraction: 'number',
  boolean: 'boolean',
  list: 'list',
};

const FIELD_TYPES: Readonly<Record<string, FieldType>> = {
  ...FILTER_FIELDS,
  ...Object.fromEntries(VARIANT_COLUMNS.map(({ key, type }) => [key, TYPE_OF_COLUMN[type]])),
};

/** Type of a field of any row of variants; one that is not known counts as text. */
export const fieldType = (field: string): FieldType => FIELD_TYPES[field] ?? 'text';
