/** Files of the stage `qc`, in qc/. Depths are fragments, positions 1-based, shares fractions; NO_VALUE is `.`. */

import { AMPLICON_DEPTHS } from './reads.ts';
import type { OutputTable } from './table.ts';

export const SAMPLE_QC: OutputTable = {
  file: 'sample_qc.tsv',
  meaning: 'Each threshold that applies to a sample, and its verdict.',
  schemaVersion: 1,
  columns: [
    ['sample', 'sample'],
    ['metric', 'metric'],
    ['value', 'value'],
    ['numerator', 'numerator of a share'],
    ['denominator', 'denominator of a share'],
    ['operator', 'the comparison that must be true'],
    ['limit', 'the threshold'],
    ['source', 'where the limit comes from: preset, panel or default'],
    ['verdict', 'pass, warn, fail or not_assessed'],
  ],
};

export type Verdict = 'pass' | 'warn' | 'fail' | 'not_assessed';

export const GENE_COVERAGE: OutputTable = {
  file: 'gene_coverage.tsv.gz',
  meaning: "Coverage of each exon's coding part in the transcript shown first. bgzip.",
  schemaVersion: 1,
  columns: [
    ['sample', 'sample'],
    ['gene', 'gene symbol'],
    ['transcript', 'transcript accession; `.` without gene models'],
    ['exon', 'number in the direction of the transcript'],
    ['target_bp', 'coding bases inside the region of interest'],
    ['not_designed_bp', 'coding bases that no insert covers'],
    ['mean', 'mean depth of the target bases'],
    ['min', 'lowest depth of the target bases'],
    ...AMPLICON_DEPTHS.map((d) => [`pct_${d}x`, `% of the target bases at depth ${d} or more`] as const),
  ],
};

export const GAPS: OutputTable = {
  file: 'gaps.tsv.gz',
  meaning: 'Parts of the region of interest under the gap depth, and what the panel does not cover. bgzip.',
  schemaVersion: 1,
  columns: [
    ['sample', 'sample; `.` for what is not designed in any sample'],
    ['gene', 'gene'],
    ['exon', 'exon'],
    ['chrom', 'contig'],
    ['start', '1-based start'],
    ['end', '1-based end'],
    ['min', 'lowest depth'],
    ['reason', 'low_depth, no_reads or not_designed'],
    ['hotspots', 'hotspots inside, separated by `;`'],
  ],
};

/** Metrics of the qc step. Conditions may use them and those of `reads` (READS_METRICS). */
export const QC_METRICS = {
  roi_mean_depth: 'mean depth of the region of interest',
  roi_covered_fraction: 'share of the region of interest at the gap depth or more',
  gaps: 'intervals of the region of interest under the gap depth',
  ntc_amplicons_over: 'NTC: amplicons with more fragments than the limit',
  control_missing: 'PosCtrl: expected calls that were not found',
  control_unexpected: 'NegCtrl: kept calls',
  pair_concordance: 'share of identity sites on which tumor and normal agree',
  contamination: 'estimated share of another person',
} as const;

/** depth_order.json: the order of depth_matrix.u32 and depth_band.u32 (little-endian, 4 bytes per value). */
export interface DepthOrder {
  schema_version: 1;
  /** depth_matrix.u32: by sample, the rounded mean insert depth of each amplicon. */
  samples: string[];
  amplicons: string[];
  /**
   * depth_band.u32: for each base in the order of depthOrder(panel), the median and the 10th and 90th percentile over
   * the samples other than NTC. `samples_in_band` is their number.
   */
  bases: number;
  samples_in_band: number;
}

interface Site {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
}

/** controls.json */
export interface ControlsFile {
  schema_version: 1;
  ntc: {
    sample: string;
    verdict: Verdict;
    limit: number;
    fragments: number;
    amplicons: { amplicon: string; fragments: number }[];
    alleles: (Site & { allele_key: string; fragments: number })[];
  }[];
  negCtrl: { sample: string; verdict: Verdict; unexpected: (Site & { allele_key: string; vaf: number })[] }[];
  posCtrl: {
    sample: string;
    verdict: Verdict;
    material: string | null;
    expected: (Site & { vaf: number | null; found: boolean; measured: number | null; depth: number | null })[];
    missing: number;
  }[];
}

/** summary.json: overview of the run. */
export interface QcSummary {
  schema_version: 1;
  skipped: boolean;
  verdict: Verdict;
  samples: {
    sample: string;
    qc_type: string;
    verdict: Verdict;
    /** Metrics with the verdict warn or fail. */
    reasons: string[];
    mean_depth: number | null;
    roi_covered_fraction: number | null;
    gaps: number | null;
  }[];
}
