/**
 * The fields that conditions may use. A field has the name of its column in the variant table, so that post-filter, table
 * filters and tertiary analysis use the same words.
 */

import { type ColumnType, VARIANT_COLUMNS } from '../variant-columns.ts';

/** A list is a text with several values. A condition matches when one of them matches. */
export type FieldType = 'number' | 'text' | 'boolean' | 'list';

/** Fields of a preset's post-filter. Frequencies are fractions, counts are fragments; `filter` is PASS or the reasons. */
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

/** Returns the type of a field of the variant table. Unknown fields are text. */
export const fieldType = (field: string): FieldType => FIELD_TYPES[field] ?? 'text';
