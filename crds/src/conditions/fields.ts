/**
 * The fields that conditions may use. A field has the name of its column in the variant table, so that post-filter, table
 * filters and tertiary analysis use the same words.
 */

import { type ColumnType, VARIANT_COLUMNS } from '../variant-columns.ts';

/** A list is a text with several values. A condition matches when one of them matches. */
export type FieldType = 'number' | 'text' | 'boolean' | 'list';

/** Fields of a preset's post-filter. Frequencies are fractions, counts are fragments; `filter` is PASS or the reasons. */
export const FILTER_FIELDS = [
  'filter',
  'chrom',
  'pos',
  'ref',
  'alt',
  'type',
  'length',
  'amplicon',
  'gene',
  'transcript',
  'exon',
  'consequence',
  'impact',
  'hgvs_c',
  'hgvs_p',
  'zygosity',
  'vaf',
  'depth',
  'alt_count',
  'quality',
  'strand_ratio',
  'strand_p',
  'hotspot',
  'is_hotspot',
  'run_samples',
  'ntc_fragments',
  'rsid',
  'population_af',
  'clinical_significance',
  'sift',
  'polyphen',
] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

const TYPE_OF_COLUMN: Readonly<Record<ColumnType, FieldType>> = {
  text: 'text',
  choice: 'text',
  number: 'number',
  integer: 'number',
  fraction: 'number',
  boolean: 'boolean',
  list: 'list',
};

const FIELD_TYPES: ReadonlyMap<string, FieldType> = new Map<string, FieldType>([
  ...VARIANT_COLUMNS.map(({ key, type }) => [key, TYPE_OF_COLUMN[type]] as const),
  // Fields that the table shows in another way: a mark, the run, the NTC.
  ['is_hotspot', 'boolean'],
  ['run_samples', 'number'],
  ['ntc_fragments', 'number'],
]);

/** Returns the type of a field of the variant table. Unknown fields are text. */
export const fieldType = (field: string): FieldType => FIELD_TYPES.get(field) ?? 'text';
