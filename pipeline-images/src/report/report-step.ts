/** The stage `report`: slices, pileups, a plain report per sample, provenance, the list of files and the download. */

import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { ALLELES, CONSEQUENCES } from '@seqpanel/crds/outputs/annotation.ts';
import { HOTSPOTS } from '@seqpanel/crds/outputs/call.ts';
import { traceFile } from '@seqpanel/crds/outputs/post-filter.ts';
import { GAPS, type QcSummary, SAMPLE_QC } from '@seqpanel/crds/outputs/qc.ts';
import { MANIFEST, type Provenance, reportFile, type SampleReport, ZIP_FILE } from '@seqpanel/crds/outputs/report.ts';
import { NO_VALUE } from '@seqpanel/crds/outputs/table.ts';
import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import type { VcfRecord } from '@seqpanel/crds/vcf.ts';
import { indexAnnotation, type ShownAnnotation } from '../post-filter/row.ts';
import { ownParameters } from '../reads/reads-step.ts';
import { fastaPath, Reference } from '../reads/reference.ts';
import { parameter, type SampleRow } from '../runner/frozen.ts';
import { listOutputs } from '../runner/outputs.ts';
import type { StepOutcome, TaskContext, TaskStep, Upstream } from '../runner/step-definition.ts';
import { readTable, readVcf } from '../tables/read-table.ts';
import { tableText } from '../tables/write-table.ts';
import { writeZip, type ZipEntry } from './archive.ts';
import { reportHtml } from './html.ts';
import { listFiles, zipEntries } from './listing.ts';
import { reportedCall, sampleReport } from './sample-report.ts';
import { type Site, writeSlice } from './slice.ts';

const OF_TASK = ['cohort', 'joint', 'annotation', 'post-filter', 'qc'] as const;

async function upstreams({ samples, upstream }: TaskContext): Promise<Upstream[]> {
  const bySample = samples.flatMap(({ sample }) => [upstream('reads', sample), upstream('call', sample)]);
  return Promise.all([...bySample, ...OF_TASK.map((step) => upstream(step))]);
}

async function inputs(context: TaskContext): Promise<Record<string, unknown>> {
  const { samples, frozen, task } = context;
  const results = (await upstreams(context)).map(({ result }) => result);
  return {
    // Use complete results as inputs, because the report contains command lines and versions too.
    steps: results.map(({ step, sample, outputs, tools, warnings }) => [
      step,
      sample,
      outputs.map(({ path, sha256 }) => [path, sha256]),
      tools,
      warnings,
    ]),
    samples: samples.map(({ sample, libraryId, qcType, role }) => [sample, libraryId, qcType, role]),
    task: task.spec.name,
    frozen: frozen.sha256,
    parameters: ownParameters(frozen, 'report'),
  };
}

/** The parts of a sample's report that are the same for all samples. */
interface Shared {
  known: Map<string, ShownAnnotation>;
  summary: QcSummary;
  qcRows: Map<string, Record<string, string>[]>;
  gaps: Record<string, string>[];
  tools: { name: string; version: string }[];
  reference: Reference;
}

/** Returns the warnings to show before the calls. */
function warningsOf(context: TaskContext, row: SampleRow): string[] {
  const alive = new Set(context.samples.map(({ sample }) => sample));
  const pair = context.task.spec.pairs?.find((p) => p.tumor === row.sample);
  if (!pair || alive.has(pair.normal)) return [];
  return [`The normal sample ${pair.normal} failed: this tumor was called without it (pair_incomplete).`];
}

async function writeSample(context: TaskContext, row: SampleRow, shared: Shared): Promise<SampleReport> {
  const { frozen, task, out, upstream } = context;
  const { sample } = row;
  const call = await upstream('call', sample);
  const records = await readVcf(call.path('calls.vcf.gz'));
  const trace = await readTable((await upstream('post-filter')).path(traceFile(sample)));
  const kept = new Map(trace.filter((t) => t['pass'] === '1').map((t) => [t['allele_key']!, t['group']!]));
  const keptRecords = records.filter((record) => kept.has(record.info.get('KEY')!));
  const hotspots = await readTable(call.path(HOTSPOTS.file));
  const reads = await upstream('reads', sample);
  await writeSlice(
    context,
    sample,
    reads.path('reads.bam'),
    sitesOf(keptRecords, hotspots),
    {
      flank: parameter(frozen, 'slice_flank'),
      reference: parameter(frozen, 'slice_reference_fragments'),
    },
    shared.reference,
  );
  const report = sampleReport({
    frozen,
    task,
    row,
    calls: keptRecords.map((record) => {
      const key = record.info.get('KEY')!;
      return reportedCall(record, shared.known.get(key), kept.get(key)!);
    }),
    qcRows: shared.qcRows.get(sample) ?? [],
    verdict: shared.summary.samples.find((s) => s.sample === sample)?.verdict ?? 'not_assessed',
    gaps: shared.gaps.filter((gap) => gap['sample'] === sample || gap['sample'] === NO_VALUE),
    hotspots,
    warnings: warningsOf(context, row),
    tools: shared.tools,
    sources: frozen.annotation.sources.map(({ name, version }) => ({ name, version })),
  });
  await writeFile(`${out}/${reportFile(sample, 'json')}`, `${JSON.stringify(report, null, 1)}\n`);
  await writeFile(`${out}/${reportFile(sample, 'html')}`, reportHtml(report));
  return report;
}

/** Returns the sites where reads are kept: kept calls, which are drawn, and hotspots. */
function sitesOf(kept: readonly VcfRecord[], hotspots: readonly Record<string, string>[]): Site[] {
  const calls = kept.map(({ chrom, pos, ref, alt, info }) => ({
    key: info.get('KEY')!,
    chrom,
    pos,
    ref,
    alt,
    drawn: true,
  }));
  const places = new Set(calls.map((c) => `${c.chrom}:${c.pos}${c.ref}>${c.alt}`));
  const rest = hotspots
    .map((h) => ({ key: '', chrom: h['chrom']!, pos: Number(h['pos']), ref: h['ref']!, alt: h['alt']!, drawn: false }))
    .filter((h) => !places.has(`${h.chrom}:${h.pos}${h.ref}>${h.alt}`));
  return [...calls, ...rest];
}

function provenance(context: TaskContext, results: readonly StepResult[]): Provenance {
  const { task, frozen, samples } = context;
  return {
    schema_version: 1,
    task: task.task,
    pipeline: { name: task.spec.pipeline.name, version: task.spec.pipeline.version },
    frozen: { ...frozen.sha256 },
    inputs: samples.flatMap(({ sample, files }) =>
      files.map(({ name, sha256 }) => ({ sample, name, sha256: sha256 ?? null })),
    ),
    steps: results.map(({ step, sample, fingerprint, tools, warnings }) => ({
      step,
      sample: sample ?? null,
      fingerprint,
      tools,
      warnings,
    })),
  };
}

/** Returns every program once with its version, sorted by name. */
function programs(results: readonly StepResult[]): { name: string; version: string }[] {
  const all = results.flatMap(({ tools }) => tools.map(({ name, version }) => ({ name, version })));
  const once = new Map(all.map((tool) => [`${tool.name}\t${tool.version}`, tool]));
  return [...once.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function run(context: TaskContext): Promise<StepOutcome> {
  const { samples, frozen, out, storage, taskPath, upstream } = context;
  const results = (await upstreams(context)).map(({ result }) => result);
  const annotation = await upstream('annotation');
  const qc = await upstream('qc');
  const reference = await Reference.open(`${storage}/${fastaPath(frozen.genome)}`);
  const shared: Shared = {
    known: indexAnnotation(
      await readTable(annotation.path(ALLELES.file)),
      await readTable(annotation.path(CONSEQUENCES.file)),
    ),
    summary: JSON.parse(await readFile(qc.path('summary.json'), 'utf8')) as QcSummary,
    qcRows: Map.groupBy(await readTable(qc.path(SAMPLE_QC.file)), (row) => row['sample']!),
    gaps: await readTable(qc.path(GAPS.file)),
    tools: programs(results),
    reference,
  };
  let calls = 0;
  try {
    for (const row of samples) calls += (await writeSample(context, row, shared)).calls.length;
  } finally {
    await reference.close();
  }
  await writeFile(`${out}/provenance.json`, `${JSON.stringify(provenance(context, results), null, 1)}\n`);
  await writeListAndZip(context, results, `${storage}/${taskPath}`);
  return { metrics: { calls } };
}

async function writeListAndZip(
  context: TaskContext,
  results: readonly StepResult[],
  taskFolder: string,
): Promise<void> {
  const { out, samples } = context;
  const names = new Set(samples.map(({ sample }) => sample));
  // The list cannot contain itself or the zip that contains it.
  const own = { step: 'report', outputs: await listOutputs(out) } as StepResult;
  const files = listFiles([...results, own], names);
  const lines = files.map((f) => [f.path, f.type, f.sample, f.size, f.sha256, f.meaning].join('\t'));
  await writeFile(`${out}/${MANIFEST.file}`, tableText(MANIFEST, lines));
  const listed = { path: `report/${MANIFEST.file}`, sample: NO_VALUE };
  await writeZip(`${out}/${ZIP_FILE}`, [
    // The step's own files are still in the work folder.
    ...zipEntries([...files, listed], taskFolder).map((entry) => ({
      ...entry,
      file: entry.file.replace(`${taskFolder}/report/`, `${out}/`),
    })),
    ...(await copiedLogs(`${taskFolder}/logs`, context.tmp)),
  ]);
}

/** Copies the logs, because another pod may append to one while it is zipped. */
async function copiedLogs(folder: string, tmp: string): Promise<ZipEntry[]> {
  const names = await readdir(folder).catch(() => [] as string[]);
  return Promise.all(
    names.map(async (name) => {
      await copyFile(`${folder}/${name}`, `${tmp}/log-${name}`);
      return { path: `log/${name}`, file: `${tmp}/log-${name}` };
    }),
  );
}

export const reportStep: TaskStep = { name: 'report', scope: 'task', revision: 2, tools: ['samtools'], inputs, run };
