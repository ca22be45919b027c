import { writeFile } from 'node:fs/promises';
import { HOTSPOTS, LOD } from '@seqpanel/crds/outputs/call.ts';
import { mergedSpans, roiRegions } from '@seqpanel/crds/roi.ts';
import { variantQuality } from '@seqpanel/crds/statistics.ts';
import { readRunAlleles, readSiteErrors } from '../cohort/cohort-files.ts';
import { readCandidates } from '../reads/candidate-file.ts';
import { PileupIndex, readPileup } from '../reads/pileup-file.ts';
import { ownParameters } from '../reads/reads-step.ts';
import { parameter } from '../runner/frozen.ts';
import type { SampleContext, SampleStep, StepOutcome } from '../runner/step-definition.ts';
import { tableText, writeZipped } from '../tables/write-table.ts';
import { ErrorModel, parseAtoms } from './error-model.ts';
import { depthOf, gather } from './evidence.ts';
import { type CallLimits, judgeCall } from './filters.ts';
import { callGermline, LEAST_FREQUENCY } from './freebayes.ts';
import { genotype, MAX_GQ } from './genotype.ts';
import { LimitOfDetection } from './lod.ts';
import { joinCalls } from './merge.ts';
import { Roi } from './roi-lookup.ts';
import { hotspotLines, lodLines, type SiteTables } from './site-tables.ts';
import { type CallRow, vcfHeader, vcfLine } from './vcf.ts';

const CALLS = 'calls.vcf.gz';
const VCF = { chrom: 1, start: 2, end: 2, preset: 'vcf' } as const;
const BY_POSITION = { chrom: 1, start: 2, end: 2 };
const READ = ['pileup.tsv.gz', 'candidates.tsv.gz', 'reads.bam'] as const;

const limitsOf = ({ frozen }: SampleContext): CallLimits => ({
  callFloor: parameter(frozen, 'call_floor'),
  reportFloor: parameter(frozen, 'report_floor'),
  minDepth: parameter(frozen, 'min_depth'),
  minAlt: parameter(frozen, 'min_alt_fragments'),
  minQuality: parameter(frozen, 'min_quality'),
  strandP: parameter(frozen, 'strand_p'),
});

/** Returns the sample's normal when it is the tumor of a pair and the normal has not failed. */
const normalOf = ({ task, samples, sample }: SampleContext): string | undefined => {
  const pair = (task.spec.pairs ?? []).find(({ tumor }) => tumor === sample.sample);
  return samples.find((row) => row.sample === pair?.normal)?.sample;
};

async function inputs(context: SampleContext): Promise<Record<string, unknown>> {
  const { frozen, sample, upstream } = context;
  const [reads, cohort] = await Promise.all([upstream('reads', sample.sample), upstream('cohort')]);
  const normal = normalOf(context);
  const normalReads = normal === undefined ? undefined : await upstream('reads', normal);
  return {
    sample: sample.sample,
    reads: READ.map((file) => reads.sha256(file)),
    cohort: ['site_error.tsv.gz', 'run_alleles.tsv.gz'].map((file) => cohort.sha256(file)),
    pairs: (context.task.spec.pairs ?? []).filter(({ tumor }) => tumor === sample.sample),
    normal: normalReads && ['pileup.tsv.gz', 'candidates.tsv.gz'].map((file) => normalReads.sha256(file)),
    genome: { value: frozen.genome.value, contigs: frozen.genome.contigs },
    amplicons: frozen.panel.amplicons,
    hotspots: frozen.panel.hotspots,
    roi: frozen.preset.roi,
    mapping: [parameter(frozen, 'min_mapq'), parameter(frozen, 'min_baseq')],
    parameters: ownParameters(frozen, 'call'),
  };
}

async function run(context: SampleContext): Promise<StepOutcome> {
  const { frozen, sample, upstream, out } = context;
  const { panel, genome, preset } = frozen;
  const [reads, cohort] = await Promise.all([upstream('reads', sample.sample), upstream('cohort')]);
  const index = new PileupIndex(panel);
  const limits = limitsOf(context);
  const [pileup, candidates, errors, run] = await Promise.all([
    readPileup(reads.path('pileup.tsv.gz'), index),
    readCandidates(reads.path('candidates.tsv.gz')),
    readSiteErrors(cohort.path('site_error.tsv.gz')),
    readRunAlleles(cohort.path('run_alleles.tsv.gz')),
  ]);
  const counted = gather(candidates, pileup, index);
  const sites = counted
    .filter((e) => e.depth > 0 && e.altF + e.altR >= 0.5 * LEAST_FREQUENCY * e.depth)
    .map(({ chrom, pos, ref }) => ({ chrom, pos, length: ref.length }));
  const germline = await callGermline(context, reads.path('reads.bam'), sites);
  const model = new ErrorModel(errors, pileup, index);
  const order = new Map(genome.contigs.map(({ name }, i) => [name, i]));
  const canonical = new Map(genome.contigs.map(({ name, canonical: c }) => [name, c ?? name]));
  const roi = new Roi(
    mergedSpans(
      roiRegions(preset.roi, panel),
      genome.contigs.map(({ name }) => name),
    ),
  );
  const homozygous = parameter(frozen, 'hom_min_vaf');
  const normal = await normalCounts(context, index);
  const rows = joinCalls(counted, germline, genome.value, canonical).map((called): CallRow => {
    const { evidence: e } = called;
    const alt = e.altF + e.altR;
    const error = model.combined(parseAtoms(e.chrom, e.atoms), e.refF + e.altF, e.refR + e.altR);
    const quality = alt === 0 ? 0 : variantQuality(alt, e.depth, error);
    const own = genotype(alt, e.depth, error, homozygous);
    return {
      ...called,
      ...judgeCall(e, quality, roi.holds(e), limits),
      quality,
      error,
      gt: own.gt,
      gq: called.germline && sameGenotype(called.germline.gt, own.gt) ? Math.min(MAX_GQ, called.germline.gq) : own.gq,
      run: run.get(e.key),
      normal: normal?.(e),
    };
  });
  const rank = (row: CallRow): number => order.get(row.evidence.chrom) ?? order.size;
  const text = ({ evidence: e }: CallRow): string => `${e.ref}\t${e.alt}`;
  rows.sort((a, b) => rank(a) - rank(b) || a.evidence.pos - b.evidence.pos || (text(a) < text(b) ? -1 : 1));
  const header = vcfHeader(genome.contigs, genome.value, sample.sample);
  const site: SiteTables = { pileup, index, model, limits, lod: new LimitOfDetection(limits) };
  await Promise.all([
    writeZipped(`${out}/${CALLS}`, `${[header, ...rows.map(vcfLine)].join('\n')}\n`, VCF),
    writeZipped(`${out}/${LOD.file}`, tableText(LOD, lodLines(roi, site)), BY_POSITION),
    writeFile(`${out}/${HOTSPOTS.file}`, tableText(HOTSPOTS, hotspotLines(panel.hotspots ?? [], rows, site))),
  ]);
  const left = (context.task.spec.pairs ?? []).filter(
    (pair) => pair.tumor === sample.sample && !context.samples.some((row) => row.sample === pair.normal),
  );
  const passed = rows.filter(({ filters }) => filters.length === 0);
  return {
    metrics: {
      candidates: rows.length,
      calls: passed.length,
      snv: passed.filter(({ evidence }) => evidence.type === 'SNV').length,
      indel: passed.filter(({ evidence }) => evidence.ref.length !== evidence.alt.length).length,
    },
    warnings: left.map((pair) => ({
      code: 'pair_incomplete',
      message: `pair ${pair.name}: normal ${pair.normal} failed, so ${pair.tumor} is called without a normal`,
    })),
  };
}

const sameGenotype = (a: string, b: string): boolean => {
  const sort = (gt: string): string => gt.split(/[/|]/).sort().join('/');
  return sort(a) === sort(b);
};

/** Counts an allele in the pair's normal. */
async function normalCounts(context: SampleContext, index: PileupIndex) {
  const name = normalOf(context);
  if (name === undefined) return undefined;
  const reads = await context.upstream('reads', name);
  const [pileup, rows] = await Promise.all([
    readPileup(reads.path('pileup.tsv.gz'), index),
    readCandidates(reads.path('candidates.tsv.gz')),
  ]);
  const seen = new Map(gather(rows, pileup, index).map((e) => [e.key, e]));
  return (e: { key: string; chrom: string; pos: number }) => {
    const same = seen.get(e.key);
    if (same) return { ref: same.refF + same.refR, alt: same.altF + same.altR, depth: same.depth };
    const [f, r] = depthOf(pileup, index, e.chrom, e.pos);
    return { ref: f + r, alt: 0, depth: f + r };
  };
}

/** Calls a sample's variants: every candidate with its counts and all filters that apply. */
export const callStep: SampleStep = {
  name: 'call',
  scope: 'sample',
  revision: 2,
  tools: ['freebayes', 'bcftools', 'samtools'],
  inputs,
  run,
};
