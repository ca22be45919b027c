/** Builds a sample's report from the outputs of earlier steps. Pure. */

import type { Verdict } from '@seqpanel/crds/outputs/qc.ts';
import type { ReportedCall, SampleReport } from '@seqpanel/crds/outputs/report.ts';
import type { TaskSpec } from '@seqpanel/crds/step-contract.ts';
import type { VcfRecord } from '@seqpanel/crds/vcf.ts';
import { conditionRow, type ShownAnnotation } from '../post-filter/row.ts';
import type { Frozen, SampleRow } from '../runner/frozen.ts';
import { numberOf } from '../tables/read-table.ts';

/** Returns a kept call with the group that kept it. */
export function reportedCall(record: VcfRecord, annotation: ShownAnnotation | undefined, group: string): ReportedCall {
  const row = conditionRow(record, annotation);
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '.' ? value : null);
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  const [normalDepth, normalAlt] = [
    numberOf(record.format.get('N_DP')),
    numberOf(record.format.get('N_AD')?.split(',')[1]),
  ];
  return {
    allele_key: record.info.get('KEY')!,
    chrom: record.chrom,
    pos: record.pos,
    ref: record.ref,
    alt: record.alt,
    type: text(row.type) ?? '',
    vaf: number(row.vaf),
    depth: number(row.depth),
    alt_fragments: number(row.alt_count),
    quality: number(row.quality),
    zygosity: text(row.zygosity),
    group: text(group),
    filter: record.filter,
    hotspot: text(record.info.get('HOTSPOT')),
    gene: text(row.gene),
    transcript: text(row.transcript),
    exon: text(row.exon),
    hgvs_g: text(annotation?.allele?.['hgvs_g']),
    hgvs_c: text(row.hgvs_c),
    hgvs_p: text(row.hgvs_p),
    consequence: text(row.consequence),
    impact: text(row.impact),
    rsid: text(row.rsid),
    clinvar: text(row.clinical_significance),
    population_af: number(row.population_af),
    normal_vaf: normalDepth ? (normalAlt ?? 0) / normalDepth : null,
    somatic: text(record.format.get('SS')),
  };
}

export interface ReportParts {
  frozen: Frozen;
  task: TaskSpec;
  row: SampleRow;
  calls: ReportedCall[];
  qcRows: Record<string, string>[];
  verdict: Verdict;
  gaps: Record<string, string>[];
  hotspots: Record<string, string>[];
  warnings: string[];
  tools: { name: string; version: string }[];
  sources: { name: string; version: string }[];
}

export function sampleReport(parts: ReportParts): SampleReport {
  const { frozen, task, row } = parts;
  const { panel, genome, preset } = frozen;
  return {
    schema_version: 1,
    sample: row.sample,
    library_id: row.libraryId,
    qc_type: row.qcType,
    role: row.role,
    task: task.spec.name,
    panel: { value: panel.value, displayName: panel.displayName, version: panel.version },
    genome: { value: genome.value, displayName: genome.displayName },
    synthetic: panel.synthetic === true || genome.synthetic === true,
    preset: preset.name,
    warnings: parts.warnings,
    qc: { verdict: parts.verdict, rows: parts.qcRows },
    calls: parts.calls,
    hotspots: parts.hotspots,
    not_covered: parts.gaps,
    methods: parts.tools,
    annotation: parts.sources,
  };
}
