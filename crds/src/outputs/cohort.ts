/** Tables of the step `cohort`, in cohort/. Counts are fragments, positions 1-based, NO_VALUE is `.`. */

import type { OutputTable } from './table.ts';

const table = (file: string, meaning: string, columns: OutputTable['columns']): OutputTable => ({
  file,
  meaning,
  schemaVersion: 1,
  columns,
});

export const SITE_ERROR = table(
  'site_error.tsv.gz',
  'Error rate per base, ALT and strand over the run. bgzip, tabix.',
  [
    ['chrom', 'contig'],
    ['pos', '1-based position'],
    ['alt', 'A, C, G, T, INS or DEL'],
    ['strand', 'F or R'],
    ['alt_n', 'fragments with alt, over the samples used'],
    ['total', 'fragments, over the samples used'],
    ['rate', 'alt_n / total with the prior of the substitution; `.` without samples'],
    ['samples', 'samples used'],
    ['loo', '1 when the own sample must be subtracted, 0 when no sample of the run carries the site'],
  ],
);

export const RUN_ALLELES = table(
  'run_alleles.tsv.gz',
  'Each candidate allele over all samples of the run. bgzip, tabix.',
  [
    ['chrom', 'contig'],
    ['pos', '1-based position'],
    ['ref', 'REF'],
    ['alt', 'ALT'],
    ['allele_key', 'key of the allele'],
    ['samples', 'samples with at least two fragments'],
    ['median_vaf', 'median frequency in them'],
    ['max_vaf', 'highest frequency'],
    ['max_sample', 'sample of the highest frequency'],
    ['ntc_fragments', 'ALT fragments in NTC samples'],
    ['max_neighbour', 'highest frequency in a sample that shares an index or a neighbouring well with a carrier'],
  ],
);

export const CARRYOVER = table('carryover.tsv', 'Variants of one sample found as traces in another.', [
  ['from', 'sample of origin'],
  ['to', 'sample that may be contaminated'],
  ['via', 'well, i7, i5 or any'],
  ['shared', 'alleles of `from` seen in `to`'],
  ['possible', 'alleles of `from` that `to` does not carry itself'],
  ['ratio', 'median frequency of the shared alleles relative to `from`'],
  ['verdict', 'pass, warn or `.`'],
]);

export const PAIRS = table('pairs.tsv', 'Do the two samples of a pair come from one person?', [
  ['pair', 'pair'],
  ['tumor', 'tumor sample'],
  ['normal', 'normal sample'],
  ['sites', 'sites compared'],
  ['concordance', 'share of them with the same genotype'],
  ['verdict', 'match, mismatch, pair_incomplete or `.`'],
]);

export const SAMPLES_CHECK = table('samples_check.tsv', 'Identity and contamination of each sample.', [
  ['sample', 'sample'],
  ['sex', 'F, M or `.`'],
  ['contamination', 'estimated share of another person; `.` if it cannot be estimated'],
  ['sites', 'sites the estimate rests on'],
  ['duplicate_of', 'samples of the same person in this run, not of its pair'],
  ['ntc_fragments', 'NTC only: fragments in all amplicons'],
  ['ntc_amplicons', 'NTC only: amplicons over the limit, separated by `;`'],
  ['verdict', 'pass, warn, fail or `.`'],
]);

export const NORMALS = table('normals.tsv', 'Normals considered for copy numbers, per sample.', [
  ['sample', 'sample'],
  ['normal', 'normal'],
  ['origin', 'task or baseline'],
  ['correlation', 'correlation of amplicon depths'],
  ['mad', 'median absolute deviation of log2 ratios'],
  ['kept', '1 when used'],
  ['reason', 'why it was left out'],
]);

export const CNV_TARGETS = table('cnv_targets.tsv', 'CNV target location data: amplicons by position.', [
  ['amplicon', 'amplicon'],
  ['slot', 'number in the order of the plot'],
  ['chrom', 'contig'],
  ['start', '1-based start'],
  ['end', '1-based end'],
  ['gene', 'gene'],
  ['exon', 'exon'],
  ['gc', 'GC content, %'],
  ['pool', 'primer pool'],
]);

export const CNV_AMPLICON = table('cnv_amplicon.tsv.gz', 'Copy-number ratio of each amplicon.', [
  ['sample', 'sample'],
  ['amplicon', 'amplicon'],
  ['depth', 'mean insert depth'],
  ['expected', 'depth expected of two copies'],
  ['ratio', 'depth / expected'],
  ['log2', 'log2 of the ratio'],
  ['normal_lo', 'low end of the normals'],
  ['normal_hi', 'high end of the normals'],
  ['z', 'z score'],
  ['weight', 'weight in the segment'],
  ['excluded', '1 when left out'],
  ['reason', 'why it was left out'],
]);

export const CNV_SEGMENT = table('cnv_segment.tsv', 'Copy number of genes and segments.', [
  ['sample', 'sample'],
  ['segment', 'gene or segment'],
  ['used', 'amplicons used'],
  ['total', 'amplicons'],
  ['log2', 'log2 of the ratio'],
  ['ci_lo', 'low end of the 95 % interval of log2'],
  ['ci_hi', 'high end'],
  ['ratio', 'copy-number ratio'],
  ['copies', 'copies'],
  ['copies_corrected', 'copies corrected for tumor content'],
  ['p', 'p value'],
  ['call', 'gain, loss, none or no_call'],
  ['gain_threshold', "the preset's gain threshold"],
  ['loss_threshold', "the preset's loss threshold"],
  ['no_call_reason', 'why there is no call'],
]);

export const PLOIDY = table('ploidy.tsv', 'Copies of paralog groups, as ploidy for calling.', [
  ['sample', 'sample'],
  ['group', 'paralog group'],
  ['copies', 'copies'],
  ['posterior', 'probability of that number'],
]);

export const COHORT_TABLES = [
  SITE_ERROR,
  RUN_ALLELES,
  CARRYOVER,
  PAIRS,
  SAMPLES_CHECK,
  NORMALS,
  CNV_TARGETS,
  CNV_AMPLICON,
  CNV_SEGMENT,
  PLOIDY,
] as const;
