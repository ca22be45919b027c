/** Files of the step `call`, below samples/<S>/call/. Counts are fragments, positions 1-based. */

import type { OutputTable } from './table.ts';

/** FILTER values of calls.vcf.gz. A call has all that apply, or only PASS. */
export const CALL_FILTERS = {
  outside_roi: 'Outside the region of interest of the preset',
  low_depth: 'Depth under min_depth',
  low_vaf: 'Frequency under report_floor',
  below_floor: 'Frequency under call_floor',
  low_alt: 'ALT fragments under min_alt_fragments',
  low_quality: 'Quality (P of the ALT count by error alone) under min_quality',
  strand_bias: 'ALT fragments lie on one strand more than REF fragments do',
  read_end: 'ALT bases lie at the ends of the reads',
  primer: 'Inside or next to a primer of its only amplicon, seen in one amplicon of several',
  homopolymer: 'Indel in a long run of one base, of a frequency that slippage explains',
  low_mapq: 'ALT fragments map elsewhere as well',
  amplicon_bias: 'Seen in one of several amplicons that cover it',
} as const;
export type CallFilter = keyof typeof CALL_FILTERS;

/** INFO fields: number, type, meaning. */
export const CALL_INFO: Readonly<Record<string, readonly [number: string, type: string, meaning: string]>> = {
  KEY: ['1', 'String', 'allele_key: hash of genome, canonical contig, POS, REF and ALT'],
  TYPE: ['1', 'String', 'SNV, MNV, INS, DEL or DELINS'],
  LEN: ['1', 'Integer', 'Bases changed'],
  HAP: ['1', 'String', 'The same for calls on one haplotype'],
  ATOMS: ['.', 'String', 'The changes it is made of, as pos:ref>alt'],
  HRUN: ['1', 'Integer', 'Length of the longest run of one base at the change'],
  PDIST: ['1', 'Integer', 'Bases to the nearer primer'],
  PARALOG: ['1', 'String', 'Paralog group of the amplicon'],
  HOTSPOT: ['.', 'String', 'Hotspot of the panel'],
  CALLER: ['.', 'String', 'counts, freebayes or both'],
  RUN_N: ['1', 'Integer', 'Samples of the run with at least two ALT fragments'],
  RUN_MAXVAF: ['1', 'Float', 'Highest frequency of it in the run'],
  NTC: ['1', 'Integer', 'ALT fragments in NTC samples of the run'],
};

/** FORMAT fields: number, type, meaning. */
export const CALL_FORMAT: Readonly<Record<string, readonly [number: string, type: string, meaning: string]>> = {
  GT: ['1', 'String', 'Genotype; 0/1 for anything below the homozygous threshold, ./. where nothing can be said'],
  GQ: ['1', 'Integer', 'Phred of the genotype (freebayes), else of the frequency class'],
  DP: ['1', 'Integer', 'Fragments that tell the base: REF, ALT and other'],
  AD: ['R', 'Integer', 'REF and ALT fragments'],
  ADF: ['R', 'Integer', 'REF and ALT fragments with R1 on the forward strand'],
  ADR: ['R', 'Integer', 'REF and ALT fragments with R1 on the reverse strand'],
  VAF: ['1', 'Float', 'ALT / DP'],
  CI: ['2', 'Float', '95 % score interval of VAF'],
  QL: ['1', 'Float', 'Quality 0-40: Phred of P(ALT count by the site error alone)'],
  SE: ['1', 'Float', 'Site error rate that QL uses'],
  BQ: ['R', 'Float', 'Mean base quality of REF and ALT'],
  MQ: ['R', 'Float', 'Mean mapping quality of REF and ALT'],
  SR: ['R', 'Float', 'Strand ratio F / (F + R) of REF and ALT'],
  SB: ['1', 'Float', "Fisher's p that ALT and REF lie alike on the strands"],
  RP: ['1', 'Integer', 'Median position of the change in its read'],
  ED: ['1', 'Integer', 'Median distance of the change to the end of its read'],
  UMI: ['2', 'Integer', 'Single and duplex UMI families with ALT'],
  AMP: ['.', 'String', 'Per amplicon: name|REF|ALT|DP'],
  N_AD: ['R', 'Integer', 'REF and ALT fragments of the normal (pairs)'],
  N_DP: ['1', 'Integer', 'Fragments of the normal (pairs)'],
  N_P: ['1', 'Float', 'p that tumor and normal have one frequency (pairs)'],
  SS: ['1', 'String', 'Somatic status: somatic, germline, loh or unknown (pairs)'],
};

export const LOD: OutputTable = {
  file: 'lod.tsv.gz',
  meaning: 'Depth and limit of detection of every base of the region of interest. bgzip, tabix.',
  schemaVersion: 1,
  columns: [
    ['chrom', 'contig'],
    ['pos', '1-based position'],
    ['depth_f', 'fragments, forward'],
    ['depth_r', 'fragments, reverse'],
    ['site_error', 'highest error rate of the four bases at the site'],
    ['lod95', 'frequency found with 95 % certainty'],
    ['callable', '1 at min_depth and more, else 0'],
  ],
};

export const HOTSPOTS: OutputTable = {
  file: 'hotspots.tsv',
  meaning: 'Each hotspot of the panel: is it there?',
  schemaVersion: 1,
  columns: [
    ['hotspot', 'name'],
    ['chrom', 'contig'],
    ['pos', '1-based position'],
    ['ref', 'REF'],
    ['alt', 'ALT'],
    ['state', 'present, absent or not_assessable'],
    ['vaf', 'frequency'],
    ['depth', 'fragments'],
    ['lod', 'limit of detection at the site'],
    ['reason', 'why it cannot be assessed'],
  ],
};
