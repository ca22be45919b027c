/** Calls with the annotation that tables show, their evidence, alleles and consequences. */
import type { ALLELE_TYPES, IMPACTS, ZYGOSITIES } from '@seqpanel/crds/variant-columns.ts';

export interface AlleleTable {
  key: string;
  genome: string;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
}

export interface AlleleAnnotationTable {
  allele_key: string;
  bundle: string;
  rsid: string | null;
  hgvs_g: string | null;
  population_af: number | null;
  clinical_significance: string | null;
  /** Every column of annotation/alleles.tsv.gz that has a value. */
  data: Record<string, string>;
}

export interface ConsequenceTable {
  allele_key: string;
  bundle: string;
  /** 0 is the one that the table shows. */
  ord: number;
  transcript: string;
  rank: string | null;
  gene: string | null;
  consequence: string | null;
  impact: string | null;
  exon: string | null;
  intron: string | null;
  hgvs_c: string | null;
  hgvs_p: string | null;
  sift: number | null;
  polyphen: number | null;
}

export interface CallTable {
  task_id: string;
  sample_idx: number;
  allele_key: string;
  /** Natural order of the contig in the genome. */
  chrom_order: number;
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  type: (typeof ALLELE_TYPES)[number];
  length: number;
  amplicon: string | null;
  vaf: number | null;
  vaf_low: number | null;
  vaf_high: number | null;
  depth: number | null;
  alt_count: number | null;
  alt_forward: number | null;
  alt_reverse: number | null;
  ref_forward: number | null;
  ref_reverse: number | null;
  quality: number | null;
  strand_ratio: number | null;
  strand_p: number | null;
  zygosity: (typeof ZYGOSITIES)[number] | null;
  filter: string[];
  called: boolean;
  kept: boolean;
  post_group: string | null;
  hotspot: string | null;
  somatic: string | null;
  normal_vaf: number | null;
  normal_depth: number | null;
  gene: string | null;
  transcript: string | null;
  transcripts: number;
  consequence: string | null;
  impact: (typeof IMPACTS)[number] | null;
  impact_order: number;
  exon: string | null;
  intron: string | null;
  hgvs_c: string | null;
  hgvs_p: string | null;
  hgvs_g: string | null;
  sift: number | null;
  polyphen: number | null;
  population_af: number | null;
  clinical_significance: string | null;
  rsid: string | null;
  /** Generated: the searched names in lower case, one per line. */
  search: string | null;
}

export interface CallEvidenceTable {
  task_id: string;
  sample_idx: number;
  allele_key: string;
  genotype: string | null;
  /** Bits of the post-filter's conditions, a slash, bits of the missing ones. */
  trace: string | null;
  /** The rest of the VCF's INFO and FORMAT. */
  info: Record<string, unknown>;
}
