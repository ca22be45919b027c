import { writeFile } from 'node:fs/promises';
import { effectiveParameters } from '@seqpanel/crds/parameters.ts';
import { BadInput } from '../runner/bad-input.ts';
import { type Frozen, parameter } from '../runner/frozen.ts';
import type { SampleContext, SampleStep, StepOutcome } from '../runner/step-definition.ts';
import { alignFastq, takeBam } from './align.ts';
import { Assigner } from './assign.ts';
import { checkUnchanged, mapContigs, parseSequences, readHeader } from './bam-input.ts';
import { candidatesOf } from './candidates.ts';
import { Counts } from './counts.ts';
import { FragmentCounter } from './fragment.ts';
import { lanesOf } from './lanes.ts';
import { metricsOf } from './metrics.ts';
import { fastaPath, Reference } from './reference.ts';
import { SamFilter } from './sam-filter.ts';
import { writeTables } from './tables.ts';
import { loadTargets, type Target } from './target.ts';

/** Returns the values of the parameters whose `step` is `name`. */
export function ownParameters(frozen: Frozen, step: string): Record<string, unknown> {
  const values = effectiveParameters(frozen.panel, frozen.preset);
  const own = new Set(frozen.panel.parameters.filter((p) => p.step === step).map((p) => p.key));
  return Object.fromEntries(Object.entries(values).filter(([key]) => own.has(key)));
}

/** Builds the SAM header: the genome's contigs, the sample as read group, and no local paths. */
export function samHeader({ frozen, sample }: SampleContext, tools: Readonly<Record<string, string>>): string {
  const contigs = frozen.genome.contigs.map(
    ({ name, length, md5 }) => `@SQ\tSN:${name}\tLN:${length}${md5 ? `\tM5:${md5}` : ''}\n`,
  );
  const programs = Object.entries(tools).map(([name, version]) => `@PG\tID:${name}\tPN:${name}\tVN:${version}\n`);
  return `@HD\tVN:1.6\tSO:unsorted\tGO:query\n${contigs.join('')}@RG\tID:${sample.sample}\tSM:${sample.sample}\tLB:${sample.libraryId}\tPL:ILLUMINA\n${programs.join('')}`;
}

/** Programs that the step runs. A BAM is not aligned again. */
const toolsOf = ({ task, frozen }: SampleContext): string[] =>
  task.spec.source === 'bam'
    ? ['samtools']
    : ['fastp', parameter(frozen, 'aligner') === 'bwa' ? 'bwa' : 'minimap2', 'samtools'];

/** The parts of the panel that affect counting. Changes elsewhere in the panel do not count the reads again. */
const panelParts = ({ amplicons, chemistry, paralogs, hotspots, identitySnps, umi }: Frozen['panel']) => ({
  amplicons: amplicons.map(({ gene, exon, uses, ...rest }) => rest),
  chemistry,
  paralogs,
  hotspots,
  identitySnps,
  umi,
});

async function inputs(context: SampleContext): Promise<Record<string, unknown>> {
  const { frozen, sample, task, tools } = context;
  const { genome } = frozen;
  return {
    tools: await tools.versions(toolsOf(context)),
    source: task.spec.source,
    files: sample.files
      .filter(({ read }) => read !== 'bai')
      .map(({ read, lane, sha256, path }) => ({ read, lane, sha256: sha256 ?? path })),
    sample: sample.sample,
    library: sample.libraryId,
    genome: { value: genome.value, contigs: genome.contigs, indexes: genome.indexes.map((i) => [i.tool, i.version]) },
    panel: panelParts(frozen.panel),
    parameters: ownParameters(frozen, 'reads'),
  };
}

interface Wiring {
  counts: Counts;
  filter: SamFilter;
}

function wire(context: SampleContext, targets: Target[], header: string, rename: ReadonlyMap<string, string>): Wiring {
  const { frozen, sample } = context;
  const counts = new Counts(targets);
  const counter = new FragmentCounter(counts, {
    minMapq: parameter(frozen, 'min_mapq'),
    minBaseq: parameter(frozen, 'min_baseq'),
  });
  const filter = new SamFilter(counts, new Assigner(targets), counter, {
    header,
    readGroup: `\tRG:Z:${sample.sample}`,
    rename,
    clip: parameter(frozen, 'primer_mode') === 'clip',
  });
  return { counts, filter };
}

async function run(context: SampleContext): Promise<StepOutcome> {
  const { frozen, storage, sample, task, out, tools } = context;
  const { genome, panel } = frozen;
  const reference = await Reference.open(`${storage}/${fastaPath(genome)}`);
  const targets = await loadTargets(panel, reference).finally(() => reference.close());
  const header = samHeader(context, await tools.versions(toolsOf(context)));
  const warnings: NonNullable<StepOutcome['warnings']> = [];
  let wiring: Wiring;
  let quality: Awaited<ReturnType<typeof alignFastq>>;
  if (task.spec.source === 'bam') {
    const file = sample.files.find(({ read, name }) => read === 'bam' || name.endsWith('.bam'));
    if (!file) throw new BadInput('samples.tsv', undefined, `sample ${sample.sample} has no BAM file`, 'file_missing');
    const map = mapContigs(file.name, parseSequences(await readHeader(tools, storage, file)), genome, panel);
    wiring = wire(context, targets, header, map.rename);
    const [taken, unchanged] = await Promise.allSettled([
      takeBam(context, `${storage}/${file.path}`, map, wiring.filter),
      checkUnchanged(storage, file),
    ]);
    // A changed file may fail in any way, so report the change first.
    for (const end of [unchanged, taken]) if (end.status === 'rejected') throw end.reason;
    const { assigned, startsInPrimer } = wiring.filter.totals;
    const primers = targets.some((target) => target.primers);
    if (primers && assigned > 0 && startsInPrimer === 0 && parameter(frozen, 'primer_mode') === 'clip')
      warnings.push({
        code: 'no_read_starts_in_primer',
        message: `${file.name}: no read starts in a primer. If they were clipped before, set primer_mode to already_clipped.`,
      });
  } else {
    const lanes = lanesOf(sample.files);
    if (lanes.length === 0)
      throw new BadInput('samples.tsv', undefined, `sample ${sample.sample} has no FASTQ file`, 'file_missing');
    wiring = wire(context, targets, header, new Map());
    quality = await alignFastq(context, lanes, wiring.filter);
  }
  const { counts, filter } = wiring;
  const order = new Map(genome.contigs.map(({ name }, i) => [name, i]));
  const lengths = new Map(genome.contigs.map(({ name, length }) => [name, length]));
  const candidates = candidatesOf(counts, panel, {
    genome: genome.value,
    canonical: new Map(genome.contigs.map(({ name, canonical }) => [name, canonical ?? name])),
    contigOrder: order,
    minFragments: parameter(frozen, 'candidate_min_fragments'),
  });
  const metrics = metricsOf(counts, filter.totals, quality);
  await Promise.all([
    writeTables({ counts, panel, candidates, order, lengths }, out),
    writeFile(`${out}/metrics.json`, `${JSON.stringify(metrics, null, 1)}\n`),
  ]);
  return {
    metrics: Object.fromEntries(Object.entries(metrics).map(([key, { value }]) => [key, value])),
    warnings,
  };
}

/** Aligns a sample's reads, or takes its BAM, clips primers and counts fragments. */
export const readsStep: SampleStep = {
  name: 'reads',
  scope: 'sample',
  revision: 3,
  tools: [],
  inputs,
  run,
};
