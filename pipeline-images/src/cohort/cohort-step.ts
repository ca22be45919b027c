import { writeFile } from 'node:fs/promises';
import {
  CARRYOVER,
  CNV_AMPLICON,
  CNV_SEGMENT,
  CNV_TARGETS,
  NORMALS,
  PAIRS,
  PLOIDY,
  RUN_ALLELES,
  SAMPLES_CHECK,
  SITE_ERROR,
} from '@seqpanel/crds/outputs/cohort.ts';
import { columnNames } from '@seqpanel/crds/outputs/table.ts';
import { median } from '@seqpanel/crds/statistics.ts';
import { readCandidates } from '../reads/candidate-file.ts';
import { knownFragments, PileupIndex, readPileup } from '../reads/pileup-file.ts';
import { ownParameters } from '../reads/reads-step.ts';
import { fastaPath, Reference } from '../reads/reference.ts';
import { parameter } from '../runner/frozen.ts';
import type { StepOutcome, TaskContext, TaskStep } from '../runner/step-definition.ts';
import { tableText, writeZipped } from '../tables/write-table.ts';
import { type AmpliconRow, readAmplicons } from './amplicon-file.ts';
import { carryoverLines, checkLines, type NtcResult, pairLines } from './identity.ts';
import { type RunSample, runAlleleLines, sumAlleles } from './run-alleles.ts';
import { SiteErrors, siteErrorText } from './site-error.ts';

const BY_POSITION = { chrom: 1, start: 2, end: 2 };
const READ = ['pileup.tsv.gz', 'candidates.tsv.gz', 'amplicons.tsv'] as const;

async function inputs({ samples, frozen, task, upstream }: TaskContext): Promise<Record<string, unknown>> {
  const reads = await Promise.all(samples.map(({ sample }) => upstream('reads', sample)));
  const alive = new Set(samples.map(({ sample }) => sample));
  return {
    samples: samples.map(({ sample, qcType, role, well, i7, i5 }, i) => ({
      sample,
      qcType,
      role,
      well,
      i7,
      i5,
      files: READ.map((file) => reads[i]!.sha256(file)),
    })),
    pairs: (task.spec.pairs ?? []).map((pair) => ({ ...pair, whole: alive.has(pair.tumor) && alive.has(pair.normal) })),
    amplicons: frozen.panel.amplicons,
    genome: frozen.genome.contigs,
    ntc: frozen.panel.ntc,
    copies: [frozen.panel.analysisTypes, frozen.panel.cnvGenes, frozen.preset.copyGain, frozen.preset.copyLoss],
    paralogs: frozen.panel.paralogs,
    parameters: ownParameters(frozen, 'cohort'),
  };
}

/** Returns the most fragments that an NTC may have in an amplicon. */
function ntcLimit(context: TaskContext, amplicons: readonly AmpliconRow[][]): number {
  const { panel } = context.frozen;
  const medians = amplicons.map((rows) => median(rows.map(({ fragments }) => fragments)) ?? 0);
  const share = parameter(context.frozen, 'ntc_max_fraction') * (median(medians) ?? 0);
  return panel.ntc ? Math.min(panel.ntc.maxFragmentsPerAmplicon, Math.max(1, share)) : Math.max(1, share);
}

async function run(context: TaskContext): Promise<StepOutcome> {
  const { samples, frozen, task, out, upstream, storage } = context;
  const { panel, genome } = frozen;
  const index = new PileupIndex(panel);
  const errors = new SiteErrors(index);
  const runSamples: RunSample[] = [];
  const depths = new Map<string, Uint32Array>();
  const amplicons = new Map<string, AmpliconRow[]>();
  for (const row of samples) {
    const reads = await upstream('reads', row.sample);
    const pileup = await readPileup(reads.path('pileup.tsv.gz'), index);
    if (row.qcType !== 'NTC') errors.add(pileup);
    const depth = new Uint32Array(index.length);
    for (let slot = 0; slot < depth.length; slot++)
      depth[slot] = knownFragments(pileup.cells, slot, 0) + knownFragments(pileup.cells, slot, 1);
    depths.set(row.sample, depth);
    runSamples.push({ row, alleles: sumAlleles(await readCandidates(reads.path('candidates.tsv.gz'))) });
    amplicons.set(row.sample, await readAmplicons(reads.path('amplicons.tsv')));
  }
  const depthAt = (sample: string, chrom: string, pos: number): number => {
    let depth = 0;
    for (const { slot } of index.at(chrom, pos)) depth += depths.get(sample)?.[slot] ?? 0;
    return depth;
  };
  const real = samples.filter(({ qcType }) => qcType !== 'NTC').map(({ sample }) => amplicons.get(sample)!);
  const limit = ntcLimit(context, real);
  const ntc = new Map<string, NtcResult>();
  for (const { sample, qcType } of samples) {
    if (qcType !== 'NTC') continue;
    const rows = amplicons.get(sample)!;
    ntc.set(sample, {
      fragments: rows.reduce((sum, { fragments }) => sum + fragments, 0),
      over: rows.filter(({ fragments }) => fragments > limit).map(({ amplicon }) => amplicon),
    });
  }
  const pairs = task.spec.pairs ?? [];
  const order = new Map(genome.contigs.map(({ name }, i) => [name, i]));
  const reference = await Reference.open(`${storage}/${fastaPath(genome)}`);
  const targets = await cnvTargetLines(context, reference, order).finally(() => reference.close());
  const incomplete = pairs.filter((pair) => {
    const names = new Set(samples.map(({ sample }) => sample));
    return !names.has(pair.tumor) || !names.has(pair.normal);
  });
  await Promise.all([
    writeFile(`${out}/${PAIRS.file}`, tableText(PAIRS, pairLines(pairs, runSamples, depthAt))),
    writeFile(`${out}/${SAMPLES_CHECK.file}`, tableText(SAMPLES_CHECK, checkLines(runSamples, pairs, depthAt, ntc))),
    writeFile(`${out}/${CARRYOVER.file}`, tableText(CARRYOVER, carryoverLines(runSamples, depthAt))),
    writeFile(`${out}/${NORMALS.file}`, tableText(NORMALS, [])),
    writeFile(`${out}/${CNV_TARGETS.file}`, tableText(CNV_TARGETS, targets)),
    writeFile(`${out}/${CNV_SEGMENT.file}`, tableText(CNV_SEGMENT, segmentLines(context))),
    writeFile(`${out}/${PLOIDY.file}`, tableText(PLOIDY, ploidyLines(context))),
    writeZipped(`${out}/${CNV_AMPLICON.file}`, tableText(CNV_AMPLICON, ampliconCnvLines(context, amplicons))),
    writeZipped(
      `${out}/${SITE_ERROR.file}`,
      siteErrorText(errors, order, `#${columnNames(SITE_ERROR).join('\t')}`),
      BY_POSITION,
    ),
    writeZipped(`${out}/${RUN_ALLELES.file}`, tableText(RUN_ALLELES, runAlleleLines(runSamples, order)), BY_POSITION),
  ]);
  return {
    metrics: { samples: samples.length, ntc_limit: limit },
    warnings: incomplete.map(({ name }) => ({
      code: 'pair_incomplete',
      message: `pair ${name}: one of its samples failed or is not in the run`,
    })),
  };
}

const DOT = '.';
const callsCopies = ({ frozen }: TaskContext): boolean => frozen.panel.analysisTypes.includes('cnv');
/** Reason for a missing copy number, a key of the message catalogue. */
const NO_METHOD = 'not_computed';

/** Returns the lines of cnv_amplicon.tsv.gz: depths without ratios, because this version does not call copy numbers. */
function ampliconCnvLines(context: TaskContext, amplicons: ReadonlyMap<string, readonly AmpliconRow[]>): string[] {
  if (!callsCopies(context)) return [];
  return [...amplicons].flatMap(([sample, rows]) =>
    rows.map(({ amplicon, mean }) =>
      [sample, amplicon, mean.toFixed(2), ...Array.from({ length: 7 }, () => DOT), 1, NO_METHOD].join('\t'),
    ),
  );
}

/** Returns the lines of cnv_segment.tsv: every CNV gene of the panel as no_call with the reason. */
function segmentLines(context: TaskContext): string[] {
  if (!callsCopies(context)) return [];
  const { panel, preset } = context.frozen;
  return context.samples.flatMap(({ sample }) =>
    (panel.cnvGenes ?? []).map((gene) => {
      const total = panel.amplicons.filter((amplicon) => amplicon.gene === gene).length;
      const unknown = Array.from({ length: 7 }, () => DOT);
      return [sample, gene, 0, total, ...unknown, 'no_call', preset.copyGain, preset.copyLoss, NO_METHOD].join('\t');
    }),
  );
}

/** Returns the lines of ploidy.tsv: the paralog groups, whose copies are not counted yet. */
const ploidyLines = ({ samples, frozen }: TaskContext): string[] =>
  samples.flatMap(({ sample }) => (frozen.panel.paralogs ?? []).map(({ name }) => [sample, name, DOT, DOT].join('\t')));

/** Returns the lines of cnv_targets.tsv: the panel's amplicons in the genome's order. */
async function cnvTargetLines(
  { frozen }: TaskContext,
  reference: Reference,
  order: ReadonlyMap<string, number>,
): Promise<string[]> {
  const sorted = frozen.panel.amplicons
    .filter(({ uses }) => uses === undefined || uses.includes('cnv'))
    .toSorted((a, b) => (order.get(a.chrom) ?? 0) - (order.get(b.chrom) ?? 0) || a.start - b.start);
  return Promise.all(
    sorted.map(async ({ name, chrom, start, end, gene, exon, pool }, slot) => {
      const { bases } = await reference.bases(chrom, start, end);
      const gc = (100 * bases.replace(/[^GC]/g, '').length) / Math.max(1, bases.length);
      return [name, slot + 1, chrom, start, end, gene ?? '.', exon ?? '.', gc.toFixed(2), pool ?? '.'].join('\t');
    }),
  );
}

/** Compares the samples of a run: identity, carry-over, NTC, error rates and alleles. */
export const cohortStep: TaskStep = {
  name: 'cohort',
  scope: 'task',
  revision: 2,
  tools: [],
  inputs,
  run,
};
