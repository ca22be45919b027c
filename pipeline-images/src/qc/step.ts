/** The stage `qc`: thresholds, controls, coverage of exons and gaps, depth of the run. */

import { readFile, writeFile } from 'node:fs/promises';
import { expectedCalls, parseControlFile } from '@seqpanel/crds/control-file.ts';
import { PAIRS, SAMPLES_CHECK } from '@seqpanel/crds/outputs/cohort.ts';
import { traceFile } from '@seqpanel/crds/outputs/post-filter.ts';
import {
  type ControlsFile,
  type DepthOrder,
  GAPS,
  GENE_COVERAGE,
  type QcSummary,
  SAMPLE_QC,
} from '@seqpanel/crds/outputs/qc.ts';
import { NO_VALUE } from '@seqpanel/crds/outputs/table.ts';
import { DEFAULT_QC } from '@seqpanel/crds/preset-default.ts';
import { mergedSpans, roiRegions } from '@seqpanel/crds/roi.ts';
import { geneSource, transcriptsOf } from '../annotation/consequences.ts';
import { RANKS, rankTranscripts } from '../annotation/rank.ts';
import { type AmpliconRow, readAmplicons } from '../cohort/amplicon-file.ts';
import type { Transcript } from '../genome/gene-models.ts';
import { ownParameters } from '../reads/step.ts';
import type { StepOutcome, TaskContext, TaskStep } from '../step/definition.ts';
import { type Frozen, parameter, type SampleRow } from '../step/frozen.ts';
import { tableText, writeZipped } from '../tables/write.ts';
import { numberOf, readTable, readVcf, type VcfRecord } from '../vcf/read-vcf.ts';
import { judgeNegative, judgeNtc, judgePositive } from './controls.ts';
import { codingExons, coverageLines, type Exon, hotspotsIn, labelOf, outside, roiCoverage } from './coverage.ts';
import { DepthIndex, depthBand, readDepths } from './depths.ts';
import { type Judged, judgeSample, type MetricValue, worst } from './verdicts.ts';

const OF_READS = ['metrics.json', 'amplicons.tsv', 'depth.u32'] as const;

const effectiveQc = ({ preset }: Frozen) => (preset.qc.useDefault ? DEFAULT_QC : preset.qc.conditions);

async function inputs(context: TaskContext): Promise<Record<string, unknown>> {
  const { samples, frozen, task, upstream } = context;
  const [cohort, postFilter] = [await upstream('cohort'), await upstream('post-filter')];
  const files = await Promise.all(
    samples.map(async ({ sample }) => {
      const reads = await upstream('reads', sample);
      const call = await upstream('call', sample);
      const hashes = OF_READS.map((file) => reads.sha256(file));
      return [sample, ...hashes, call.sha256('calls.vcf.gz'), postFilter.sha256(traceFile(sample))];
    }),
  );
  return {
    files,
    cohort: [cohort.sha256(PAIRS.file), cohort.sha256(SAMPLES_CHECK.file), cohort.result.metrics['ntc_limit']],
    types: samples.map(({ qcType, controlMaterial }) => [qcType, controlMaterial]),
    pairs: task.spec.pairs,
    panel: frozen.sha256['panel.json'],
    control: frozen.sha256['control.txt'],
    roi: frozen.preset.roi,
    qc: { skip: frozen.preset.qc.skip, conditions: effectiveQc(frozen) },
    genes: geneSource(context)?.sha256,
    parameters: ownParameters(frozen, 'qc'),
  };
}

/** Everything about the panel's coverage that is the same in every sample. */
async function layout(context: TaskContext) {
  const { panel, preset, genome } = context.frozen;
  const contigs = genome.contigs.map((c) => c.name);
  const inserts = mergedSpans(
    panel.amplicons.map((a) => ({ chrom: a.chrom, ...a.insert })),
    contigs,
  );
  const regions = roiRegions(preset.roi, panel);
  const genes = mergedSpans(
    panel.amplicons.map((a) => ({ chrom: a.chrom, start: a.start, end: a.end })),
    contigs,
  );
  const transcripts = shownTranscripts(await transcriptsOf(context, genes), panel.transcripts ?? {});
  const exons = codingExons(panel, transcripts, contigs);
  return { inserts, regions, roi: mergedSpans(regions, contigs), exons, index: new DepthIndex(panel) };
}

/** Of each gene the transcript that is shown first. */
function shownTranscripts(
  transcripts: readonly Transcript[],
  preferred: Readonly<Record<string, string>>,
): Transcript[] {
  const ranks = rankTranscripts(transcripts, preferred);
  const place = (t: Transcript): number => RANKS.indexOf(ranks.get(t.id) ?? 'other');
  return [...Map.groupBy(transcripts, (t) => t.gene).values()].map(
    (own) => own.toSorted((a, b) => place(a) - place(b) || (a.id < b.id ? -1 : 1))[0]!,
  );
}

type Layout = Awaited<ReturnType<typeof layout>>;

/** Lines of gaps.tsv.gz for what no insert covers: exons of the gene models, and what the panel file names. */
function notDesignedLines({ panel }: Frozen, { exons, inserts }: Layout): string[] {
  const named = (panel.notDesigned ?? []).map((n) => ({ ...n, gene: n.gene ?? NO_VALUE, exon: n.exon ?? NO_VALUE }));
  const found = exons.flatMap((exon: Exon) =>
    outside(exon, inserts).map((part) => ({ ...part, gene: exon.gene, exon: exon.exon })),
  );
  const lines = [...named, ...found].map(({ gene, exon, chrom, start, end }) =>
    [
      NO_VALUE,
      gene,
      exon,
      chrom,
      start,
      end,
      NO_VALUE,
      'not_designed',
      hotspotsIn({ chrom, start, end }, panel.hotspots ?? []),
    ].join('\t'),
  );
  return [...new Set(lines)];
}

interface SampleData {
  row: SampleRow;
  amplicons: AmpliconRow[];
  calls: VcfRecord[];
  kept: VcfRecord[];
  metrics: Record<string, MetricValue>;
}

async function readSample(context: TaskContext, row: SampleRow): Promise<SampleData> {
  const { upstream } = context;
  const reads = await upstream('reads', row.sample);
  const calls = await readVcf((await upstream('call', row.sample)).path('calls.vcf.gz'));
  const trace = await readTable((await upstream('post-filter')).path(traceFile(row.sample)));
  const passed = new Set(trace.filter((line) => line['pass'] === '1').map((line) => line['allele_key']));
  return {
    row,
    amplicons: await readAmplicons(reads.path('amplicons.tsv')),
    calls,
    kept: calls.filter((record) => passed.has(record.info.get('KEY'))),
    metrics: JSON.parse(await readFile(reads.path('metrics.json'), 'utf8')) as Record<string, MetricValue>,
  };
}

async function run(context: TaskContext): Promise<StepOutcome> {
  const { samples, frozen, task, out, upstream } = context;
  const { panel, preset, genome } = frozen;
  const cohort = await upstream('cohort');
  const pairs = new Map((await readTable(cohort.path(PAIRS.file))).map((line) => [line['pair']!, line]));
  const checks = new Map((await readTable(cohort.path(SAMPLES_CHECK.file))).map((line) => [line['sample']!, line]));
  const ntcLimit = Number(cohort.result.metrics['ntc_limit'] ?? panel.ntc?.maxFragmentsPerAmplicon ?? 0);
  const expected = frozen.control === undefined ? [] : expectedCalls(parseControlFile(frozen.control).control);
  const gapDepth = parameter(frozen, 'gap_depth');
  const plan = await layout(context);
  const controls: ControlsFile = { schema_version: 1, ntc: [], negCtrl: [], posCtrl: [] };
  const summary: QcSummary = { schema_version: 1, skipped: preset.qc.skip, verdict: 'not_assessed', samples: [] };
  const [qcLines, coverage, gaps]: [string[], string[], string[]] = [[], [], notDesignedLines(frozen, plan)];
  const matrix = Buffer.alloc(samples.length * panel.amplicons.length * 4);
  for (const [i, row] of samples.entries()) {
    const data = await readSample(context, row);
    const { sample, qcType } = row;
    const { metrics } = data;
    const depths = await readDepths((await upstream('reads', sample)).path('depth.u32'));
    data.amplicons.forEach((a, j) => {
      matrix.writeUInt32LE(Math.round(a.mean), (i * panel.amplicons.length + j) * 4);
    });
    const roi = roiCoverage(plan.roi, plan.index, depths, gapDepth);
    const share = (part: number, whole: number): MetricValue => ({
      value: whole === 0 ? null : part / whole,
      numerator: part,
      denominator: whole,
    });
    metrics['roi_mean_depth'] = share(roi.depthSum, roi.bases);
    metrics['roi_covered_fraction'] = share(roi.covered, roi.bases);
    metrics['gaps'] = { value: roi.gaps.length };
    const contamination = numberOf(checks.get(sample)?.['contamination']);
    if (contamination !== undefined) metrics['contamination'] = { value: contamination };
    const pair = task.spec.pairs?.find((p) => p.tumor === sample);
    const concordance = numberOf(pair && pairs.get(pair.name)?.['concordance']);
    if (concordance !== undefined) metrics['pair_concordance'] = { value: concordance };
    if (qcType === 'NTC') {
      const ntc = judgeNtc(sample, data.amplicons, data.calls, ntcLimit);
      controls.ntc.push(ntc);
      metrics['ntc_amplicons_over'] = { value: ntc.amplicons.length };
    } else {
      coverage.push(...coverageLines(sample, plan.exons, plan.roi, plan.inserts, plan.index, depths));
      for (const gap of roi.gaps) {
        const { gene, exon } = labelOf(gap, plan.regions, panel);
        const reason = gap.min === 0 ? 'no_reads' : 'low_depth';
        const hotspots = hotspotsIn(gap, panel.hotspots ?? []);
        gaps.push([sample, gene, exon, gap.chrom, gap.start, gap.end, gap.min, reason, hotspots].join('\t'));
      }
    }
    if (qcType === 'NegCtrl') {
      const negative = judgeNegative(sample, data.kept);
      controls.negCtrl.push(negative);
      metrics['control_unexpected'] = { value: negative.unexpected.length };
    }
    if (qcType === 'PosCtrl') {
      const positive = judgePositive(sample, row.controlMaterial, expected, data.calls, genome.contigs);
      controls.posCtrl.push(positive);
      metrics['control_missing'] = { value: positive.verdict === 'not_assessed' ? null : positive.missing };
    }
    const judged = preset.qc.skip
      ? []
      : judgeSample(qcType, metrics, effectiveQc(frozen), preset.qc.useDefault ? 'default' : 'preset');
    if (pair && pairs.get(pair.name)?.['verdict'] === 'pair_incomplete' && !preset.qc.skip)
      judged.push({ metric: 'pair_complete', operator: '>=', limit: 1, source: 'default', verdict: 'fail', value: 0 });
    qcLines.push(...judged.map((j) => qcLine(sample, j)));
    summary.samples.push({
      sample,
      qc_type: qcType,
      verdict: worst(judged.map((j) => j.verdict)),
      reasons: judged.filter((j) => j.verdict === 'fail' || j.verdict === 'warn').map((j) => j.metric),
      mean_depth: metrics['mean_depth']?.value ?? null,
      roi_covered_fraction: metrics['roi_covered_fraction'].value,
      gaps: metrics['gaps'].value,
    });
  }
  summary.verdict = worst(summary.samples.map((s) => s.verdict));
  const banded = samples.filter(({ qcType }) => qcType !== 'NTC');
  const files = await Promise.all(
    banded.map(async ({ sample }) => (await upstream('reads', sample)).path('depth.u32')),
  );
  const order: DepthOrder = {
    schema_version: 1,
    samples: samples.map(({ sample }) => sample),
    amplicons: panel.amplicons.map(({ name }) => name),
    bases: plan.index.length,
    samples_in_band: banded.length,
  };
  const json = (name: string, value: unknown): Promise<void> =>
    writeFile(`${out}/${name}`, `${JSON.stringify(value, null, 1)}\n`);
  await writeFile(`${out}/${SAMPLE_QC.file}`, tableText(SAMPLE_QC, qcLines));
  await json('controls.json', controls);
  await json('summary.json', summary);
  await json('depth_order.json', order);
  await writeFile(`${out}/depth_matrix.u32`, matrix);
  await writeFile(`${out}/depth_band.u32`, await depthBand(files, plan.index.length));
  await writeZipped(`${out}/${GENE_COVERAGE.file}`, tableText(GENE_COVERAGE, coverage));
  await writeZipped(`${out}/${GAPS.file}`, tableText(GAPS, gaps));
  return { metrics: { samples: samples.length, verdict: summary.verdict } };
}

function qcLine(sample: string, j: Judged): string {
  const cell = (value: number | null | undefined): string =>
    value === null || value === undefined ? NO_VALUE : `${value}`;
  const numbers = [cell(j.value), cell(j.numerator), cell(j.denominator)];
  return [sample, j.metric, ...numbers, j.operator, j.limit, j.source, j.verdict].join('\t');
}

export const qcStep: TaskStep = { name: 'qc', scope: 'task', revision: 1, tools: ['tabix'], inputs, run };
