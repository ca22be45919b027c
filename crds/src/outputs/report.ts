/** Files of the stage `report`, in report/. "Delete results" keeps them. Positions are 1-based. */

import type { Verdict } from './qc.ts';
import type { OutputTable } from './table.ts';

export const MANIFEST: OutputTable = {
  file: 'manifest.tsv',
  meaning: 'Every file of the task.',
  schemaVersion: 1,
  columns: [
    ['path', "path below the task's folder"],
    ['type', 'kind of file'],
    ['sample', 'sample; `.` for the whole task'],
    ['size', 'bytes'],
    ['sha256', 'SHA-256 of its bytes'],
    ['meaning', 'what it holds'],
  ],
};

/** Paths in report/. */
export const sliceFile = (sample: string): string => `slices/${sample}.bam`;
export const pileupFile = (sample: string, alleleKey: string): string => `pileups/${sample}/${alleleKey}.json`;
export const reportFile = (sample: string, ending: 'json' | 'html'): string => `${sample}.${ending}`;
export const ZIP_FILE = 'output.zip';

/** pileups/S/<allele_key>.json: fragments around a call, for drawing. One row per read. */
export interface PileupFile {
  schema_version: 1;
  allele_key: string;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  /** First position of `reference`. */
  start: number;
  reference: string;
  /** Fragments in the slice's BAM, before reference reads were sampled. */
  counts: { alt: number; reference: number };
  rows: PileupRow[];
}

export interface PileupRow {
  alt: boolean;
  /** Strand of the read. */
  strand: '+' | '-';
  mapq: number;
  /** One letter per reference position: a base, `-` deleted, ` ` not covered. */
  bases: string;
  /** Inserted bases by the index of the following reference position. */
  insertions?: { at: number; bases: string }[];
}

/** A kept call in the report. */
export interface ReportedCall {
  allele_key: string;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  type: string;
  vaf: number | null;
  depth: number | null;
  alt_fragments: number | null;
  quality: number | null;
  zygosity: string | null;
  group: string | null;
  filter: string;
  hotspot: string | null;
  gene: string | null;
  transcript: string | null;
  exon: string | null;
  hgvs_g: string | null;
  hgvs_c: string | null;
  hgvs_p: string | null;
  consequence: string | null;
  impact: string | null;
  rsid: string | null;
  clinvar: string | null;
  population_af: number | null;
  normal_vaf: number | null;
  somatic: string | null;
}

/** S.json: the contents of S.html. */
export interface SampleReport {
  schema_version: 1;
  sample: string;
  library_id: string;
  qc_type: string;
  role: string;
  task: string;
  panel: { value: string; displayName: string; version: string };
  genome: { value: string; displayName: string };
  /** True when panel or genome is synthetic. */
  synthetic: boolean;
  preset: string;
  /** Warnings to read before the calls, such as `pair_incomplete`. */
  warnings: string[];
  qc: { verdict: Verdict; rows: Record<string, string>[] };
  calls: ReportedCall[];
  hotspots: Record<string, string>[];
  not_covered: Record<string, string>[];
  methods: { name: string; version: string }[];
  annotation: { name: string; version: string }[];
}

/** provenance.json: programs and inputs of the task. */
export interface Provenance {
  schema_version: 1;
  task: string;
  pipeline: { name: string; version: string };
  frozen: Record<string, string>;
  inputs: { sample: string; name: string; sha256: string | null }[];
  steps: {
    step: string;
    sample: string | null;
    fingerprint: string;
    tools: { name: string; version: string; command?: string }[];
    warnings: { code: string; message: string }[];
  }[];
}
