/** Tables of the step `reads`, in samples/<S>/reads/. Counts are fragments, positions 1-based, NO_VALUE is `.`. */

import type { PanelFile } from '../panel.ts';
import type { OutputTable } from './table.ts';

/** Order of the count columns of pileup.tsv.gz, per base and strand. */
export const PILEUP_SYMBOLS = ['A', 'C', 'G', 'T', 'N', 'INS', 'DEL'] as const;

export const PILEUP: OutputTable = {
  file: 'pileup.tsv.gz',
  meaning: 'Fragments per base of each insert, amplicon and strand; only covered bases. bgzip, tabix on chrom and pos.',
  schemaVersion: 1,
  columns: [
    ['chrom', 'contig, named as the genome names it'],
    ['pos', '1-based position'],
    ['amplicon', 'amplicon whose insert this is'],
    ['ref', 'reference base'],
    ...PILEUP_SYMBOLS.map((s) => [`${s}_F`, `fragments with ${s}, R1 on the forward strand`] as const),
    ...PILEUP_SYMBOLS.map((s) => [`${s}_R`, `fragments with ${s}, R1 on the reverse strand`] as const),
    ['low_quality', 'fragments without a base of sufficient quality; in no other column'],
    ['discordant', 'fragments whose mates disagree; they are counted as N'],
    ['depth_reads', 'reads over the base, whatever their quality'],
    ['mq0', 'fragments of mapping quality 0; in no other column'],
  ],
};

export const CANDIDATES: OutputTable = {
  file: 'candidates.tsv.gz',
  meaning:
    'Changes seen in the minimum number of fragments or more, and every hotspot. One row per allele and amplicon. bgzip, tabix.',
  schemaVersion: 1,
  columns: [
    ['allele_key', 'hash of genome, canonical contig, pos, ref and alt'],
    ['chrom', 'contig'],
    ['pos', '1-based, normalised'],
    ['ref', 'REF'],
    ['alt', 'ALT'],
    ['type', 'SNV, MNV, INS, DEL or DELINS'],
    ['length', 'bases changed'],
    ['hap_id', 'the same for changes seen on the same fragments within 2 bp; `.` for a change alone'],
    ['atoms', 'the changes it consists of, as pos:ref>alt separated by `;`'],
    ['amplicon', 'amplicon'],
    ['ref_f', 'REF fragments, forward'],
    ['ref_r', 'REF fragments, reverse'],
    ['alt_f', 'ALT fragments, forward'],
    ['alt_r', 'ALT fragments, reverse'],
    ['other_f', 'fragments with something else, forward'],
    ['other_r', 'fragments with something else, reverse'],
    ['ref_bq', 'mean base quality of REF'],
    ['alt_bq', 'mean base quality of ALT'],
    ['ref_mq', 'mean mapping quality of REF'],
    ['alt_mq', 'mean mapping quality of ALT'],
    ['read_pos', 'median position of the change in its read, from the read start'],
    ['end_distance', 'median distance of the change to the nearer end of the insert part of its read'],
    ['primer_distance', 'bases to the nearer primer of the amplicon; `.` without primers'],
    ['homopolymer', 'length of the longest run of one base at the change'],
    ['paralog', 'the paralog group that shares the amplicon'],
    ['hotspot', 'name of the hotspot'],
  ],
};

/** Depths for the covered share in amplicons.tsv. Fixed, so that a QC threshold does not change the outputs. */
export const AMPLICON_DEPTHS = [1, 20, 50, 100, 200, 500, 1000] as const;

export const AMPLICONS: OutputTable = {
  file: 'amplicons.tsv',
  meaning: 'Depth of each amplicon, in panel order.',
  schemaVersion: 1,
  columns: [
    ['amplicon', 'amplicon'],
    ['pool', 'primer pool'],
    ['fragments', 'fragments assigned'],
    ['forward', 'of them with R1 on the forward strand'],
    ['reverse', 'of them with R1 on the reverse strand'],
    ['mean', 'mean depth of its insert'],
    ['min', 'lowest depth of its insert'],
    ['median', 'median depth of its insert'],
    ...AMPLICON_DEPTHS.map((d) => [`pct_${d}x`, `% of the insert at depth ${d} or more`] as const),
    ['pct_reads', '% of all assigned fragments'],
    ['gc', 'GC content of the amplicon, %'],
    ['mq0', 'fragments of mapping quality 0'],
    ['dimers', 'fragments with both primers and no insert between'],
  ],
};

export const IDENTITY: OutputTable = {
  file: 'identity.tsv',
  meaning: 'Counts at the identity sites of the panel.',
  schemaVersion: 1,
  columns: [
    ['site', 'name of the site'],
    ['chrom', 'contig'],
    ['pos', '1-based position'],
    ['a', 'REF base'],
    ['b', 'ALT base'],
    ['count_a', 'fragments with a'],
    ['count_b', 'fragments with b'],
  ],
};

export const PARALOG_SITES: OutputTable = {
  file: 'paralog_sites.tsv',
  meaning: 'Counts at sites that distinguish the loci of a paralog group, one row per site and locus.',
  schemaVersion: 1,
  columns: [
    ['group', 'paralog group'],
    ['site', 'site'],
    ['locus', 'locus'],
    ['base', 'base of the locus at the site'],
    ['forward', 'fragments with that base, forward'],
    ['reverse', 'fragments with that base, reverse'],
  ],
};

export const METHYLATION: OutputTable = {
  file: 'meth.tsv.gz',
  meaning: 'Methylated and unmethylated fragments per CpG (bisulfite panels).',
  schemaVersion: 1,
  columns: [
    ['target', 'target region'],
    ['chrom', 'contig'],
    ['pos', '1-based position of the C'],
    ['strand', 'strand of the C'],
    ['M', 'methylated'],
    ['U', 'unmethylated'],
  ],
};

export const PATTERNS: OutputTable = {
  file: 'patterns.tsv.gz',
  meaning: 'Methylation patterns of single fragments (bisulfite panels).',
  schemaVersion: 1,
  columns: [
    ['region', 'region'],
    ['pattern', 'one letter per CpG: M, U or `-`'],
    ['n', 'fragments'],
  ],
};

export const CONVERSION: OutputTable = {
  file: 'conversion.tsv',
  meaning: 'Bisulfite conversion outside CpGs, per target.',
  schemaVersion: 1,
  columns: [
    ['target', 'target region'],
    ['C', 'bases left as C'],
    ['T', 'bases converted to T'],
    ['percent', '% converted'],
  ],
};

/** metrics.json: each metric with its value. A share also has numerator and denominator. */
export interface Metric {
  value: number | null;
  numerator?: number;
  denominator?: number;
}
export type Metrics = Record<ReadsMetric, Metric>;

/** The metrics of the step `reads`. Shares are fractions. */
export const READS_METRICS = {
  reads_total: 'reads in the input',
  reads_used: 'reads left after trimming, or read from the BAM',
  bases_total: 'bases in the input',
  q30_fraction: 'share of bases of quality 30 or more',
  gc_fraction: 'share of G and C among the bases of the input',
  mean_read_length: 'mean length of a read, bp',
  adapter_fraction: 'share of reads in which an adapter was trimmed',
  fragments_total: 'fragments aligned or not',
  mapped_fraction: 'share of reads that are mapped',
  on_target_fraction: 'share of mapped fragments assigned to an amplicon',
  assigned_fragments: 'fragments assigned to an amplicon',
  chimeric_fraction: 'share of mapped fragments whose ends belong to two amplicons',
  dimer_fraction: 'share of mapped fragments with primers and no insert',
  mq0_fraction: 'share of assigned fragments of mapping quality 0',
  mean_depth: 'mean depth of all inserts',
  median_depth: 'median over the amplicons of their mean depth',
  min_amplicon_depth: 'lowest mean depth of an amplicon',
  uniformity: 'share of insert bases at or over 0.2 of the mean depth',
  covered_fraction: 'share of insert bases with any fragment',
  forward_fraction: 'share of assigned fragments with R1 on the forward strand',
  discordant_fraction: 'share of bases covered by both mates on which they disagree',
  insert_size_median: 'median length of the assigned fragments, bp',
} as const;
export type ReadsMetric = keyof typeof READS_METRICS;

/** A block of depth.u32. `offset` counts values, not bytes. */
export interface DepthBlock {
  amplicon: string;
  chrom: string;
  start: number;
  end: number;
  offset: number;
}

/**
 * Returns the order of depth.u32 (little-endian, 4 bytes per base): the bases of every insert, by amplicon in panel order.
 * A base in two inserts occurs twice, each time with the depth of both together.
 */
export function depthOrder(panel: Pick<PanelFile, 'amplicons'>): { blocks: DepthBlock[]; length: number } {
  let length = 0;
  const blocks = panel.amplicons.map(({ name, chrom, insert }) => {
    const block = { amplicon: name, chrom, start: insert.start, end: insert.end, offset: length };
    length += insert.end - insert.start + 1;
    return block;
  });
  return { blocks, length };
}
