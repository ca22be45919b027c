/** Tables of the step `joint`, in joint/. NO_VALUE is `.`. */

import type { OutputTable } from './table.ts';

const table = (file: string, meaning: string, columns: OutputTable['columns']): OutputTable => ({
  file,
  meaning,
  schemaVersion: 1,
  columns,
});

export const BAF = table('baf.tsv.gz', 'B-allele frequency of heterozygous sites.', [
  ['sample', 'sample'],
  ['site', 'chrom:pos'],
  ['vaf', 'frequency'],
  ['slot', "number of the amplicon in the plot's order"],
]);

export const SMA = table('sma.tsv', 'Copies of SMN1 and SMN2.', [
  ['sample', 'sample'],
  ['smn1_raw', 'copies of SMN1, not rounded'],
  ['smn1', 'copies of SMN1'],
  ['smn1_p', 'probability of 0, 1, 2, 3 and 4 or more copies, separated by `;`'],
  ['smn2_raw', 'copies of SMN2, not rounded'],
  ['smn2', 'copies of SMN2'],
  ['smn2_p', 'probability of 0, 1, 2, 3 and 4 or more copies, separated by `;`'],
  ['c840_fraction', 'share of SMN1 at c.840'],
  ['exons_agree', 'do exon 7 and exon 8 agree'],
  ['delta7_8', 'copies of SMN2 without exon 7 and 8'],
  ['g27134_reads', 'fragments with g.27134T>G'],
  ['g27134_copies', 'copies of g.27134T>G'],
  ['no_call_reason', 'why there is no call'],
]);

export const SMA_SITES = table('sma_sites.tsv', 'Counts at the sites that tell SMN1 and SMN2 apart.', [
  ['sample', 'sample'],
  ['site', 'site'],
  ['smn1', 'fragments of SMN1'],
  ['smn2', 'fragments of SMN2'],
]);

export const THALASSEMIA = table('thal.tsv', 'Genotypes of the globin genes by rank.', [
  ['sample', 'sample'],
  ['rank', '1 for the best'],
  ['genotype', 'genotype'],
  ['posterior', 'probability'],
  ['log_evidence', 'log evidence'],
  ['discordant_amplicons', 'amplicons that do not fit'],
  ['quality', 'quality'],
  ['normals', 'normals used'],
  ['in_batch_normal', '1 when a normal of the run was used'],
]);

export const THAL_AMPLICON = table('thal_amplicon.tsv', 'Ratio of each globin amplicon.', [
  ['sample', 'sample'],
  ['amplicon', 'amplicon'],
  ['ratio', 'ratio'],
  ['ci_lo', 'low end of its 95 % interval'],
  ['ci_hi', 'high end'],
  ['ambiguous', '1 when shared by the two loci'],
  ['expected_1', 'expected under the first genotype'],
  ['expected_2', 'expected under the second'],
  ['contribution', 'log evidence it adds'],
]);

export const JOINT_TABLES = [BAF, SMA, SMA_SITES, THALASSEMIA, THAL_AMPLICON] as const;
