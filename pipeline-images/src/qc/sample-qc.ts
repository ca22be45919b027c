/** Measures and judges one sample. */

import { readFile } from 'node:fs/promises';
import type { ExpectedCall } from '@seqpanel/crds/control-file.ts';
import { traceFile } from '@seqpanel/crds/outputs/post-filter.ts';
import type { ControlsFile } from '@seqpanel/crds/outputs/qc.ts';
import { DEFAULT_QC } from '@seqpanel/crds/preset-default.ts';
import type { VcfRecord } from '@seqpanel/crds/vcf.ts';
import { type AmpliconRow, readAmplicons } from '../cohort/amplicon-file.ts';
import type { Frozen, SampleRow } from '../runner/frozen.ts';
import type { TaskContext } from '../runner/step-definition.ts';
import { numberOf, readTable, readVcf } from '../tables/read-table.ts';
import { judgeNegative, judgeNtc, judgePositive } from './controls.ts';
import { coverageLines, hotspotsIn, labelOf, roiCoverage } from './coverage.ts';
import { readDepths } from './depths.ts';
import type { PanelLayout } from './panel-layout.ts';
import { type Judged, judgeSample, type MetricValue } from './verdicts.ts';

/** Inputs of the run that every sample needs. */
export interface RunFacts {
  layout: PanelLayout;
  /** Rows of pairs.tsv by pair. */
  pairs: ReadonlyMap<string, Record<string, string>>;
  /** Rows of samples_check.tsv by sample. */
  checks: ReadonlyMap<string, Record<string, string>>;
  ntcLimit: number;
  expected: readonly ExpectedCall[];
  gapDepth: number;
}

export interface SampleQc {
  amplicons: readonly AmpliconRow[];
  metrics: Record<string, MetricValue>;
  judged: Judged[];
  /** Lines of gene_coverage.tsv.gz and gaps.tsv.gz. */
  coverage: string[];
  gaps: string[];
  ntc?: ControlsFile['ntc'][number];
  negative?: ControlsFile['negCtrl'][number];
  positive?: ControlsFile['posCtrl'][number];
}

type PresetQc = Frozen['preset']['qc'];

export const effectiveQc = ({ useDefault, conditions }: PresetQc) => (useDefault ? DEFAULT_QC : conditions);

const share = (part: number, whole: number): MetricValue => ({
  value: whole === 0 ? null : part / whole,
  numerator: part,
  denominator: whole,
});

export async function qcOfSample(context: TaskContext, row: SampleRow, run: RunFacts): Promise<SampleQc> {
  const { sample, qcType } = row;
  const { layout } = run;
  const reads = await context.upstream('reads', sample);
  const depths = await readDepths(reads.path('depth.u32'));
  const roi = roiCoverage(layout.roi, layout.index, depths, run.gapDepth);
  const pair = context.task.spec.pairs?.find(({ tumor }) => tumor === sample);
  const pairRow = pair && run.pairs.get(pair.name);
  const metrics = JSON.parse(await readFile(reads.path('metrics.json'), 'utf8')) as Record<string, MetricValue>;
  metrics['roi_mean_depth'] = share(roi.depthSum, roi.bases);
  metrics['roi_covered_fraction'] = share(roi.covered, roi.bases);
  metrics['gaps'] = { value: roi.gaps.length };
  const contamination = numberOf(run.checks.get(sample)?.['contamination']);
  if (contamination !== undefined) metrics['contamination'] = { value: contamination };
  const concordance = numberOf(pairRow?.['concordance']);
  if (concordance !== undefined) metrics['pair_concordance'] = { value: concordance };
  const found: SampleQc = {
    amplicons: await readAmplicons(reads.path('amplicons.tsv')),
    metrics,
    judged: [],
    coverage: [],
    gaps: [],
  };
  await judgeControl(context, row, run, found);
  if (qcType !== 'NTC') {
    found.coverage = coverageLines(sample, layout.exons, layout.roi, layout.inserts, layout.index, depths);
    found.gaps = gapLines(context.frozen, sample, layout, roi.gaps);
  }
  found.judged = judgeMetrics(context.frozen.preset.qc, qcType, metrics, pairRow?.['verdict'] === 'pair_incomplete');
  return found;
}

/** Judges the sample by its control type and adds the metric of that type. */
async function judgeControl(context: TaskContext, row: SampleRow, run: RunFacts, found: SampleQc): Promise<void> {
  const { sample, qcType } = row;
  const { metrics } = found;
  if (qcType === 'NTC') {
    found.ntc = judgeNtc(sample, found.amplicons, await callsOf(context, sample), run.ntcLimit);
    metrics['ntc_amplicons_over'] = { value: found.ntc.amplicons.length };
  }
  if (qcType === 'NegCtrl') {
    found.negative = judgeNegative(sample, await keptCalls(context, sample));
    metrics['control_unexpected'] = { value: found.negative.unexpected.length };
  }
  if (qcType === 'PosCtrl') {
    const calls = await callsOf(context, sample);
    const positive = judgePositive(sample, row.controlMaterial, run.expected, calls, context.frozen.genome.contigs);
    found.positive = positive;
    metrics['control_missing'] = { value: positive.verdict === 'not_assessed' ? null : positive.missing };
  }
}

/** Judges by the QC parameters of the preset. */
export function judgeMetrics(
  qc: PresetQc,
  qcType: string,
  metrics: Readonly<Record<string, MetricValue>>,
  isPairIncomplete: boolean,
): Judged[] {
  if (qc.skip) return [];
  const judged = judgeSample(qcType, metrics, effectiveQc(qc), qc.useDefault ? 'default' : 'preset');
  if (isPairIncomplete)
    judged.push({ metric: 'pair_complete', operator: '>=', limit: 1, source: 'default', verdict: 'fail', value: 0 });
  return judged;
}

const callsOf = async ({ upstream }: TaskContext, sample: string): Promise<VcfRecord[]> =>
  readVcf((await upstream('call', sample)).path('calls.vcf.gz'));

/** Returns the calls that the post-filter keeps. */
async function keptCalls(context: TaskContext, sample: string): Promise<VcfRecord[]> {
  const trace = await readTable((await context.upstream('post-filter')).path(traceFile(sample)));
  const passed = new Set(trace.filter((line) => line['pass'] === '1').map((line) => line['allele_key']));
  return (await callsOf(context, sample)).filter((record) => passed.has(record.info.get('KEY')));
}

function gapLines(
  { panel }: Frozen,
  sample: string,
  { regions }: PanelLayout,
  gaps: ReturnType<typeof roiCoverage>['gaps'],
): string[] {
  return gaps.map((gap) => {
    const { gene, exon } = labelOf(gap, regions, panel);
    const reason = gap.min === 0 ? 'no_reads' : 'low_depth';
    const hotspots = hotspotsIn(gap, panel.hotspots ?? []);
    return [sample, gene, exon, gap.chrom, gap.start, gap.end, gap.min, reason, hotspots].join('\t');
  });
}
