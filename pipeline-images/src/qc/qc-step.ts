/** The stage `qc`: thresholds, controls, coverage of exons and gaps, depth of the run. */

import { writeFile } from 'node:fs/promises';
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
import { geneSource } from '../annotation/consequences.ts';
import { ownParameters } from '../reads/reads-step.ts';
import { parameter, type SampleRow } from '../runner/frozen.ts';
import type { StepOutcome, TaskContext, TaskStep } from '../runner/step-definition.ts';
import { readTable } from '../tables/read-table.ts';
import { tableText, writeZipped } from '../tables/write-table.ts';
import { depthBand } from './depths.ts';
import { notDesignedLines, panelLayout } from './panel-layout.ts';
import { effectiveQc, qcOfSample, type RunFacts, type SampleQc } from './sample-qc.ts';
import { type Judged, worst } from './verdicts.ts';

const OF_READS = ['metrics.json', 'amplicons.tsv', 'depth.u32'] as const;

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
    qc: { skip: frozen.preset.qc.skip, conditions: effectiveQc(frozen.preset.qc) },
    genes: geneSource(context)?.sha256,
    parameters: ownParameters(frozen, 'qc'),
  };
}

async function runFacts(context: TaskContext): Promise<RunFacts> {
  const { frozen, upstream } = context;
  const cohort = await upstream('cohort');
  const [pairs, checks] = [await readTable(cohort.path(PAIRS.file)), await readTable(cohort.path(SAMPLES_CHECK.file))];
  return {
    layout: await panelLayout(context),
    pairs: new Map(pairs.map((line) => [line['pair']!, line])),
    checks: new Map(checks.map((line) => [line['sample']!, line])),
    ntcLimit: Number(cohort.result.metrics['ntc_limit'] ?? frozen.panel.ntc?.maxFragmentsPerAmplicon ?? 0),
    expected: frozen.control === undefined ? [] : expectedCalls(parseControlFile(frozen.control).control),
    gapDepth: parameter(frozen, 'gap_depth'),
  };
}

async function run(context: TaskContext): Promise<StepOutcome> {
  const { samples, frozen, out } = context;
  const { panel, preset } = frozen;
  const facts = await runFacts(context);
  const controls: ControlsFile = { schema_version: 1, ntc: [], negCtrl: [], posCtrl: [] };
  const summary: QcSummary = { schema_version: 1, skipped: preset.qc.skip, verdict: 'not_assessed', samples: [] };
  const [qcLines, coverage, gaps]: [string[], string[], string[]] = [[], [], notDesignedLines(frozen, facts.layout)];
  const matrix = Buffer.alloc(samples.length * panel.amplicons.length * 4);
  for (const [i, row] of samples.entries()) {
    const found = await qcOfSample(context, row, facts);
    found.amplicons.forEach((a, j) => {
      matrix.writeUInt32LE(Math.round(a.mean), (i * panel.amplicons.length + j) * 4);
    });
    if (found.ntc) controls.ntc.push(found.ntc);
    if (found.negative) controls.negCtrl.push(found.negative);
    if (found.positive) controls.posCtrl.push(found.positive);
    coverage.push(...found.coverage);
    gaps.push(...found.gaps);
    qcLines.push(...found.judged.map((judged) => qcLine(row.sample, judged)));
    summary.samples.push(summaryOf(row, found));
  }
  summary.verdict = worst(summary.samples.map(({ verdict }) => verdict));
  await writeFile(`${out}/${SAMPLE_QC.file}`, tableText(SAMPLE_QC, qcLines));
  await writeJson(context, 'controls.json', controls);
  await writeJson(context, 'summary.json', summary);
  await writeFile(`${out}/depth_matrix.u32`, matrix);
  await writeDepthBand(context, facts.layout.index.length);
  await writeZipped(`${out}/${GENE_COVERAGE.file}`, tableText(GENE_COVERAGE, coverage));
  await writeZipped(`${out}/${GAPS.file}`, tableText(GAPS, gaps));
  return { metrics: { samples: samples.length, verdict: summary.verdict } };
}

function summaryOf({ sample, qcType }: SampleRow, { judged, metrics }: SampleQc): QcSummary['samples'][number] {
  return {
    sample,
    qc_type: qcType,
    verdict: worst(judged.map(({ verdict }) => verdict)),
    reasons: judged.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn').map(({ metric }) => metric),
    mean_depth: metrics['mean_depth']?.value ?? null,
    roi_covered_fraction: metrics['roi_covered_fraction']?.value ?? null,
    gaps: metrics['gaps']?.value ?? null,
  };
}

const writeJson = ({ out }: TaskContext, name: string, value: unknown): Promise<void> =>
  writeFile(`${out}/${name}`, `${JSON.stringify(value, null, 1)}\n`);

/** Writes depth_band.u32 over the samples other than NTC, and the order of the depth files. */
async function writeDepthBand(context: TaskContext, bases: number): Promise<void> {
  const { samples, frozen, out, upstream } = context;
  const banded = samples.filter(({ qcType }) => qcType !== 'NTC');
  const files = await Promise.all(
    banded.map(async ({ sample }) => (await upstream('reads', sample)).path('depth.u32')),
  );
  const order: DepthOrder = {
    schema_version: 1,
    samples: samples.map(({ sample }) => sample),
    amplicons: frozen.panel.amplicons.map(({ name }) => name),
    bases,
    samples_in_band: banded.length,
  };
  await writeJson(context, 'depth_order.json', order);
  await writeFile(`${out}/depth_band.u32`, await depthBand(files, bases));
}

function qcLine(sample: string, j: Judged): string {
  const cell = (value: number | null | undefined): string =>
    value === null || value === undefined ? NO_VALUE : `${value}`;
  const numbers = [cell(j.value), cell(j.numerator), cell(j.denominator)];
  return [sample, j.metric, ...numbers, j.operator, j.limit, j.source, j.verdict].join('\t');
}

export const qcStep: TaskStep = { name: 'qc', scope: 'task', revision: 1, tools: ['tabix'], inputs, run };
