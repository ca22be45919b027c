/** Ingested results: metrics, verdicts, depths, pairs, and the observations in the specimens of a group. */
import type { Verdict } from '@seqpanel/crds/outputs/qc.ts';

export interface IngestTable {
  task_id: string;
  part: string;
  fingerprint: string;
  done: Date;
}

export interface SampleMetricTable {
  task_id: string;
  sample_idx: number;
  metric: string;
  value: number | null;
  numerator: number | null;
  denominator: number | null;
}

export interface SampleVerdictTable extends SampleMetricTable {
  ord: number;
  operator: string | null;
  threshold: number | null;
  source: string | null;
  verdict: Verdict;
}

export interface SampleDepthTable {
  task_id: string;
  sample_idx: number;
  /** Mean insert depth of each amplicon in panel order, little-endian u32. */
  amplicons: Buffer;
}

export interface SampleResultTable {
  task_id: string;
  sample_idx: number;
  kind: 'cnv' | 'sma' | 'thalassemia' | 'hotspot';
  ord: number;
  name: string;
  data: Record<string, string | null>;
}

export interface PairCheckTable {
  task_id: string;
  pair: string;
  sites: number | null;
  concordance: number | null;
  verdict: string | null;
}

export interface ObservedSpecimenTable {
  id: number;
  group_id: string;
  panel_value: string;
  /** Hash of its input files. */
  specimen: string;
  sample_name: string;
  task_id: string;
  created: Date;
  /** One bit per amplicon in panel order: depth reached the caller's minimum. */
  callable: Buffer | null;
}

export interface ObservedAlleleTable {
  specimen_id: number;
  allele_key: string;
  vaf: number | null;
  depth: number | null;
}

/** Specimens of a group and panel in which an allele was called. */
export interface AlleleCountTable {
  group_id: string;
  panel_value: string;
  allele_key: string;
  n: number;
}

/** Specimens of a group and panel. */
export interface SpecimenCountTable {
  group_id: string;
  panel_value: string;
  n: number;
}

export interface ReviewTable {
  id: string;
  group_id: string;
  task_id: string;
  sample_name: string;
  allele_key: string;
  state: string;
  reason: string;
  user_id: string;
  username: string;
  created: Date;
}
