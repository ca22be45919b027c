import { VARIANT_COLUMNS } from '@seqpanel/crds/variant-columns.ts';
import { screen, within } from '@testing-library/react';
import { fakeApi, renderApp, violations } from '../../../../test/render-app.tsx';
import { buildTask } from '../../../../test/tasks.ts';
import type { VariantColumn, VariantRow } from '../../../queries/results.ts';

const TASK = '/api/v1/pivat/*/tasks/*';
const task = buildTask();
const columns: VariantColumn[] = VARIANT_COLUMNS.map((column) => ({
  ...column,
  title: `variants.${column.key}`,
  values: column.values ? [...column.values] : null,
  facet: column.facet ?? null,
}));
const variant: VariantRow = {
  id: '0-aa',
  allele_key: 'aa',
  sample: 'S1',
  chrom: 'chr17',
  pos: 7_578_115,
  ref: 'ACG',
  alt: 'A',
  type: 'DEL',
  length: 2,
  amplicon: 'TP53_4',
  vaf: 0.125,
  vaf_low: 0.1,
  vaf_high: 0.15,
  depth: 1_600,
  alt_count: 200,
  alt_forward: 90,
  alt_reverse: 110,
  quality: 38,
  strand_ratio: 0.45,
  strand_p: 0.6,
  zygosity: 'het',
  consequence: 'frameshift_variant',
  impact: 'HIGH',
  gene: 'TP53',
  transcript: 'NM_000546.6',
  transcripts: 3,
  hgvs_c: 'c.216_217del',
  hgvs_p: 'p.Val73fs',
  hgvs_g: 'NC_000017.10:g.7578116_7578117del',
  exon: '4/11',
  intron: '3/10',
  sift: 0.02,
  polyphen: 0.98,
  population_af: 0.00021,
  clinical_significance: 'Likely_pathogenic',
  filter: [],
  pass: true,
  group: 'G1',
  hotspot: null,
};
/** Titles of the columns that the requirement names, with the text of this variant. */
const EXPECTED: Record<string, string> = {
  Sample_ID: 'S1',
  Chromosome: 'chr17',
  Position: '7,578,115',
  REF: 'ACG',
  ALT: 'A',
  'Variant type and length': 'DEL −2',
  Length: '2',
  Amplicon: 'TP53_4',
  'Read frequency': '12.5',
  Coverage: '1,600',
  Quality: '38',
  'Strand ratio': '0.45',
  Zygosity: 'het',
  Consequence: 'frameshift variant',
  Impact: 'High',
  Gene: 'TP53',
  Transcript: 'NM_000546.6 +2',
  'HGVS c.': 'c.216_217del',
  'HGVS p.': 'p.Val73fs',
  'HGVS g.': 'NC_000017.10:g.7578116_7578117del',
  Exon: '4/11',
  Intron: '3/10',
  SIFT: '0.02',
  PolyPhen: '0.98',
  'Population allele frequency': '2.1e-4',
  'Clinical significance': 'Likely pathogenic',
};
// jsdom has no layout: without a size the grid shows no rows and no columns.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { value: 600 });
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { value: 6_000 });

test('[RESULT-01] [RESULT-02] the variants tab has every column of a variant with its text', async () => {
  const api = fakeApi()
    .on(`GET ${TASK}`, task)
    .on(`GET ${TASK}/samples`, { results: [] })
    .on('GET /api/v1/pivat/variant-columns', { results: columns })
    .on(`GET ${TASK}/variants`, { count: 1, total: 1, results: [variant] })
    .on(`GET ${TASK}/variants/facets`, { count: 1, funnel: { all: 4, called: 2, kept: 1 }, values: {}, ranges: {} });
  const view = await renderApp(`/secondary-analysis/tasks/${task.id}?tab=variants`, { api });
  const grid = within(await screen.findByRole('grid'));
  const header = await grid.findByRole('rowheader', { name: 'TP53 p.Val73fs' });
  const titles = grid.getAllByRole('columnheader').map(({ textContent }) => textContent?.trim() ?? '');
  const texts = [...header.parentElement!.children].map(({ textContent }) => textContent?.trim() ?? '');
  expect(Object.fromEntries(titles.map((title, i) => [title, texts[i]]))).toMatchObject(EXPECTED);
  expect(view.api.called(`GET ${TASK}/variants`)[0]?.query.get('show')).toBe('kept');
  expect(await violations()).toEqual([]);
});
