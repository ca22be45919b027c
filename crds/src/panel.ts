/**
 * The panel file: one JSON document per panel type, named `<value>.json`.
 * Coordinates in this file are 1-based, both ends included; BED and BEDPE are converted on import.
 */

export type Chemistry = 'amplicon' | 'capture' | 'bisulfite';

/** Analysis types of a panel. They enable parts of the pipeline and tabs of the console. */
export const ANALYSIS_TYPES = [
  'germline',
  'tumor-only',
  'tumor-normal',
  'cnv',
  'sma',
  'thalassemia',
  'methylation',
] as const;
export type AnalysisType = (typeof ANALYSIS_TYPES)[number];

/** An interval of a contig, 1-based, both ends included. */
export interface Span {
  chrom: string;
  start: number;
  end: number;
}

export interface Interval {
  start: number;
  end: number;
}

export interface Amplicon extends Span {
  name: string;
  /** The part between the primers, 1-based. Equals start..end without primers. */
  insert: Interval;
  /** Primer intervals, 1-based. Absent for capture designs and panels without primers. */
  leftPrimer?: Interval;
  rightPrimer?: Interval;
  pool?: string;
  gene?: string;
  exon?: string;
  strand?: '+' | '-';
  uses?: ('variants' | 'cnv' | 'sma' | 'thalassemia' | 'identity')[];
}

/** Loci that mapping cannot distinguish (HBA1/HBA2, SMN1/SMN2). */
export interface ParalogGroup {
  name: string;
  loci: (Span & { name: string })[];
  /** Sites that differ, with the base at each locus in the order of `loci`. */
  sites: { name: string; positions: number[]; bases: string[] }[];
  sharedAmplicons: string[];
}

export interface Hotspot {
  name: string;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  /** Required limit of detection, as a fraction. */
  lod?: number;
}

export type ParameterStep = 'reads' | 'cohort' | 'call' | 'joint' | 'annotation' | 'post-filter' | 'qc' | 'report';

/** An advanced parameter of a preset: its form field, its limits and the step that reads it. */
export interface ParameterDefinition {
  key: string;
  type: 'number' | 'integer' | 'boolean' | 'string' | 'choice';
  unit?: string;
  min?: number;
  max?: number;
  choices?: string[];
  default: number | boolean | string;
  step: ParameterStep;
  help: { en: string; zh: string };
}

export interface PanelFile {
  schema_version: 1;
  /** Equals the file name without `.json`. */
  value: string;
  displayName: string;
  version: string;
  /** True for data made by this project. Shown wherever the panel is shown. */
  synthetic?: boolean;
  genome: { value: string; contigs: { name: string; length: number; md5?: string }[] };
  chemistry: Chemistry;
  analysisTypes: AnalysisType[];
  bamAllowed: boolean;
  umi?: { location: 'read1' | 'read2' | 'both' | 'header'; length: number; duplex: boolean; minFamily: number };
  amplicons: Amplicon[];
  paralogs?: ParalogGroup[];
  hotspots?: Hotspot[];
  /** Preferred transcripts of the laboratory, by gene symbol. */
  transcripts?: Record<string, string>;
  notDesigned?: (Span & { gene?: string; exon?: string; reason: string })[];
  cnvGenes?: string[];
  sma?: { sites: string[]; controlAmplicons: string[]; marker?: string };
  thalassemia?: { name: string; ratios: Record<string, number>; prior: number; notation: string }[];
  bisulfite?: { targets: (Span & { name: string })[]; cpgs: { name: string; chrom: string; pos: number }[] };
  identitySnps?: { name: string; chrom: string; pos: number; ref: string; alt: string }[];
  ntc?: { maxFragmentsPerAmplicon: number };
  parameters: ParameterDefinition[];
  /** Name of the control file, `<something>.txt`. Absent when the panel has none. */
  control?: string;
}
