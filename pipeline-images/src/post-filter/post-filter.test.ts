import { expect, test } from '@jest/globals';
import type { ConditionGroup } from '@seqpanel/crds/conditions/ast.ts';
import { FILTER_FIELDS } from '@seqpanel/crds/conditions/fields.ts';
import { parseVcf } from '@seqpanel/crds/vcf.ts';
import { Funnel } from './funnel.ts';
import { effectiveGroups } from './post-filter-step.ts';
import { conditionRow, indexAnnotation } from './row.ts';

const record = parseVcf(
  'chr7\t140453136\t.\tA\tT\t.\tlow_vaf;strand_bias\tKEY=k1;TYPE=SNV;LEN=1;RUN_N=3;HOTSPOT=V600E\tGT:DP:AD:ADF:ADR:VAF:QL:SB:AMP\t0/1:200:180,20:90,15:90,5:0.1:31.5:0.02:BRAF_1|90|10|100,BRAF_2|90|10|100\n',
)[0]!;
const annotation = indexAnnotation(
  [{ allele_key: 'k1', rsid: 'rs1', population_af: '.', clinvar_terms: 'Pathogenic' }],
  [
    { allele_key: 'k1', transcript: 'NM_1.1', gene: 'BRAF', consequence: 'missense_variant', impact: 'MODERATE' },
    { allele_key: 'k1', transcript: 'NM_2.1', gene: 'BRAF', consequence: 'intron_variant', impact: 'MODIFIER' },
  ],
);

test('a row has every field that conditions may name', () => {
  const row = conditionRow(record, annotation.get('k1'));
  expect(Object.keys(row).sort()).toEqual([...FILTER_FIELDS].sort());
  expect(row).toMatchObject({
    filter: 'low_vaf;strand_bias',
    amplicon: 'BRAF_1',
    transcript: 'NM_1.1',
    zygosity: 'subclonal',
    vaf: 0.1,
    alt_count: 20,
    strand_ratio: 0.75,
    quality: 31.5,
    hotspot: 'V600E',
    is_hotspot: true,
    population_af: undefined,
    clinical_significance: 'Pathogenic',
  });
});

test('an allele without annotation still has its counts', () => {
  expect(conditionRow(record, undefined)).toMatchObject({ vaf: 0.1, gene: undefined, impact: undefined });
});

test('[PRESET-15] with use-default on, calls that pass the caller are kept', () => {
  const own: ConditionGroup[] = [{ name: 'mine', filters: [] }];
  const groups = (useDefault: boolean) =>
    effectiveGroups({ preset: { postFilter: { useDefault, groups: own } } as never });
  expect(groups(false)).toBe(own);
  const funnel = new Funnel(groups(true));
  expect(funnel.judge({ filter: 'PASS' }).pass).toBe(true);
  expect(funnel.judge({ filter: 'low_vaf' }).pass).toBe(false);
});

test('the funnel counts the calls that each condition keeps, alone and after the preceding ones', () => {
  const is = (field: string, value: number) => ({ field, operator: '>=' as const, value, missingPasses: false });
  const funnel = new Funnel([{ name: 'g', filters: [{ name: 'f', conditions: [is('vaf', 0.1), is('depth', 100)] }] }]);
  for (const [vaf, depth] of [
    [0.2, 200],
    [0.2, 50],
    [0.01, 500],
  ] as const)
    funnel.judge({ vaf, depth });
  expect(funnel.file()).toEqual({
    schema_version: 1,
    calls: 3,
    kept: 1,
    conditions: [
      { group: 'g', filter: 'f', field: 'vaf', alone: 2, cumulative: 2 },
      { group: 'g', filter: 'f', field: 'depth', alone: 2, cumulative: 1 },
    ],
  });
});
