/**
 * The columns of the variant table: one list for ingest, table, filters, facets, help page, exports and the fields of
 * the post-filter. Keys are those of the API's rows. Fractions are 0 to 1, counts are fragments.
 */

/**
 * Source of the value: the sample's row, the caller, the annotation of the allele or of the transcript shown, or the
 * post-filter.
 */
export type ColumnSource = 'sample' | 'call' | 'allele' | 'transcript' | 'post-filter';

export type ColumnType = 'text' | 'number' | 'integer' | 'fraction' | 'choice' | 'list' | 'boolean';

export interface VariantColumn {
  key: string;
  type: ColumnType;
  source: ColumnSource;
  /** English help: meaning and computation. Titles are in the locale files, `variants.<key>`. */
  help: string;
  unit?: string;
  values?: readonly string[];
  min?: number;
  max?: number;
  sortable: boolean;
  filterable: boolean;
  facet?: 'values' | 'range';
}

const column = (
  key: string,
  type: ColumnType,
  help: string,
  more: Partial<Omit<VariantColumn, 'key' | 'type' | 'help'>> = {},
): VariantColumn => ({ key, type, source: 'call', help, sortable: true, filterable: true, ...more });

export const IMPACTS = ['HIGH', 'MODERATE', 'LOW', 'MODIFIER'] as const;
export const ZYGOSITIES = ['het', 'hom', 'hemi', 'subclonal'] as const;
export const ALLELE_TYPES = ['SNV', 'INS', 'DEL', 'MNV', 'DELINS'] as const;

/** In the order of the table. */
export const VARIANT_COLUMNS: readonly VariantColumn[] = [
  column('sample', 'text', 'Sample name.', { source: 'sample', facet: 'values' }),
  column('chrom', 'text', 'Contig of the genome; sorted in the order of the genome.', { facet: 'values' }),
  column('pos', 'integer', 'Position of the first base of REF, 1-based.', { min: 1 }),
  column('ref', 'text', 'Reference bases.', { sortable: false }),
  column('alt', 'text', 'Alternative bases.', { sortable: false }),
  column('type', 'choice', 'SNV, insertion, deletion, or bases replaced by as many (MNV) or others (DELINS).', {
    values: ALLELE_TYPES,
    facet: 'values',
  }),
  column('length', 'integer', 'Bases gained, lost or replaced.', { unit: 'bp', min: 0, facet: 'range' }),
  column('amplicon', 'text', 'Amplicons whose insert covers the change.', { facet: 'values' }),
  column(
    'vaf',
    'fraction',
    'Read frequency: share of ALT among the informative fragments. Overlapping mates count once.',
    { min: 0, max: 1, facet: 'range' },
  ),
  column('depth', 'integer', 'Coverage: fragments with REF, ALT or another base.', {
    unit: 'fragments',
    min: 0,
    facet: 'range',
  }),
  column('alt_count', 'integer', 'Fragments with ALT.', { unit: 'fragments', min: 0, facet: 'range' }),
  column(
    'quality',
    'number',
    'Phred-scaled probability that error alone causes this number of ALT fragments at this site, at most 40. A true low-frequency call may have a low value.',
    { min: 0, max: 40, facet: 'range' },
  ),
  column('strand_ratio', 'fraction', 'ALT fragments with read 1 on the forward strand, of all ALT fragments.', {
    min: 0,
    max: 1,
    facet: 'range',
  }),
  column('strand_p', 'number', "Fisher's exact p that ALT and REF are distributed alike over the two strands.", {
    min: 0,
    max: 1,
  }),
  column(
    'zygosity',
    'choice',
    'From the genotype: het, hom, hemi; subclonal when the read frequency is below that of a heterozygous site.',
    { values: ZYGOSITIES, facet: 'values' },
  ),
  column('consequence', 'text', 'Sequence Ontology terms in the transcript shown, most severe first.', {
    source: 'transcript',
    facet: 'values',
  }),
  column('impact', 'choice', "Ensembl's class of the consequence; sorted by severity.", {
    source: 'transcript',
    values: IMPACTS,
    facet: 'values',
  }),
  column('gene', 'text', 'Gene symbol.', { source: 'transcript', facet: 'values' }),
  column('transcript', 'text', "The laboratory's transcript, else MANE's, else the longest.", { source: 'transcript' }),
  column('hgvs_c', 'text', 'HGVS name on the transcript.', { source: 'transcript' }),
  column('hgvs_p', 'text', 'HGVS name on the protein.', { source: 'transcript' }),
  column('hgvs_g', 'text', 'HGVS name on the contig.', { source: 'allele', sortable: false }),
  column('exon', 'text', 'Exon number and number of exons.', { source: 'transcript', sortable: false }),
  column('intron', 'text', 'Intron number and number of introns.', { source: 'transcript', sortable: false }),
  column('sift', 'number', 'SIFT score; 0.05 and less is called deleterious.', {
    source: 'transcript',
    min: 0,
    max: 1,
    facet: 'range',
  }),
  column('polyphen', 'number', 'PolyPhen score; higher is more damaging.', {
    source: 'transcript',
    min: 0,
    max: 1,
    facet: 'range',
  }),
  column(
    'population_af',
    'fraction',
    'Highest allele frequency of the populations of the source. Missing: not seen, or no source.',
    { source: 'allele', min: 0, max: 1, facet: 'range' },
  ),
  column('clinical_significance', 'text', 'Terms of ClinVar.', { source: 'allele', facet: 'values' }),
  column('rsid', 'text', 'dbSNP id.', { source: 'allele' }),
  column('filter', 'list', 'Reasons why the caller filtered it; empty for a called variant.', {
    sortable: false,
    facet: 'values',
  }),
  column('called', 'boolean', "True when the caller's FILTER is PASS."),
  column('pass', 'boolean', 'True when it is called and matches a group of the post-filter.', {
    source: 'post-filter',
  }),
  column('group', 'text', 'The first group of the post-filter that matches.', {
    source: 'post-filter',
    facet: 'values',
  }),
  column('hotspot', 'text', 'Name of the hotspot of the panel.', { facet: 'values' }),
  column('somatic', 'choice', 'Of a pair: somatic, germline, loh or unknown.', {
    values: ['somatic', 'germline', 'loh', 'unknown'],
    facet: 'values',
  }),
  column('normal_vaf', 'fraction', 'Read frequency in the normal of the pair.', { min: 0, max: 1, facet: 'range' }),
  column('normal_depth', 'integer', 'Coverage in the normal of the pair.', { unit: 'fragments', min: 0 }),
];

/** Values without their own column. The table and the detail of a row show them next to another value. */
const BESIDE: readonly Pick<VariantColumn, 'key' | 'type' | 'source'>[] = [
  { key: 'vaf_low', type: 'fraction', source: 'call' },
  { key: 'vaf_high', type: 'fraction', source: 'call' },
  { key: 'alt_forward', type: 'integer', source: 'call' },
  { key: 'alt_reverse', type: 'integer', source: 'call' },
  { key: 'ref_forward', type: 'integer', source: 'call' },
  { key: 'ref_reverse', type: 'integer', source: 'call' },
  { key: 'transcripts', type: 'integer', source: 'transcript' },
];

/** Returns all values of a row of the table. */
export const VARIANT_VALUES: readonly Pick<VariantColumn, 'key' | 'type' | 'source'>[] = [
  ...VARIANT_COLUMNS,
  ...BESIDE,
];

/** Returns the keys of the values with one of the sources. */
export const valuesFrom = (...sources: ColumnSource[]): string[] =>
  VARIANT_VALUES.filter(({ source }) => sources.includes(source)).map(({ key }) => key);

export const variantColumn = (key: string): VariantColumn | undefined =>
  VARIANT_COLUMNS.find((found) => found.key === key);
