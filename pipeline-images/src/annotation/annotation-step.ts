/** The stage `annotation`: annotates each distinct allele of the run once and caches the result for later tasks. */

import { writeFile } from 'node:fs/promises';
import { ALLELES, type AnnotationManifest, CONSEQUENCES } from '@seqpanel/crds/outputs/annotation.ts';
import { NO_VALUE } from '@seqpanel/crds/outputs/table.ts';
import { fastaPath, Reference } from '../reads/reference.ts';
import type { StepOutcome, TaskContext, TaskStep } from '../runner/step-definition.ts';
import { readVcf } from '../tables/read-table.ts';
import { tableText, writeZipped } from '../tables/write-table.ts';
import { type AlleleAnnotation, AlleleSet, alleleSpans, type RunAllele } from './alleles.ts';
import { addToStore, readStore, storeFolder } from './cache.ts';
import { findConsequences, geneSource, transcriptsOf } from './consequences.ts';
import { genomicName } from './hgvs.ts';
import { lookUpKnown } from './known-sites.ts';
import { orderConsequences, rankTranscripts } from './rank.ts';

/** Increase when the same alleles and sources would give other annotations. */
const REVISION = 3;
/** Bases around an allele within which an indel may shift for its genomic name. */
const SHIFT_WINDOW = 200;

async function inputs({ samples, frozen, upstream }: TaskContext): Promise<Record<string, unknown>> {
  const { annotation, genome, panel, preset } = frozen;
  if (!preset.functionalAnnotation) return { off: true };
  const calls = await Promise.all(
    samples.map(async ({ sample }) => (await upstream('call', sample)).sha256('calls.vcf.gz')),
  );
  return {
    calls: calls.sort(),
    sources: annotation.sources.map(({ name, kind, version, sha256 }) => ({ name, kind, version, sha256 })),
    genome: { value: genome.value, contigs: genome.contigs },
    transcripts: panel.transcripts ?? {},
  };
}

/** Annotates alleles that the cache does not contain. */
async function annotate(context: TaskContext, alleles: readonly RunAllele[]): Promise<Map<string, AlleleAnnotation>> {
  const known = await lookUpKnown(context, alleles);
  const out = new Map<string, AlleleAnnotation>();
  const reference = await Reference.open(`${context.storage}/${fastaPath(context.frozen.genome)}`);
  try {
    const consequences = await findConsequences(context, alleles, reference);
    for (const allele of alleles) {
      const { chrom, pos, ref, key } = allele;
      const window = await reference.bases(chrom, pos - SHIFT_WINDOW, pos + ref.length + SHIFT_WINDOW);
      const name = genomicName(allele, window.bases, window.start);
      out.set(key, { ...known.get(key)!, hgvsG: `${chrom}:${name}`, consequences: consequences.get(key) ?? [] });
    }
  } finally {
    await reference.close();
  }
  return out;
}

const highest = (annotation: AlleleAnnotation): number | undefined => {
  const frequencies = annotation.populations.map(({ af }) => Number(af)).filter((af) => Number.isFinite(af));
  return frequencies.length > 0 ? Math.max(...frequencies) : undefined;
};

function alleleLine({ key, chrom, pos, ref, alt }: RunAllele, a: AlleleAnnotation): string {
  const populations = a.populations.map((p) => `${p.name}:${p.ac}:${p.an}:${p.af}`).join(';') || NO_VALUE;
  const cells = [key, chrom, pos, ref, alt, a.hgvsG, a.rsid, a.clinvarId, a.clinvarTerms, a.clinvarStars];
  return [...cells, highest(a) ?? NO_VALUE, populations].join('\t');
}

async function run(context: TaskContext): Promise<StepOutcome> {
  const { frozen, out, samples, upstream, log } = context;
  const manifest: AnnotationManifest = {
    schema_version: 1,
    sources: frozen.annotation.sources.map(({ name, kind, version, sha256 }) => ({
      name,
      kind,
      version,
      ...(sha256 ? { sha256 } : {}),
    })),
  };
  const write = async (alleles: string[], consequences: string[]): Promise<void> => {
    await writeFile(`${out}/manifest.json`, `${JSON.stringify(manifest, null, 1)}\n`);
    await writeZipped(`${out}/${ALLELES.file}`, tableText(ALLELES, alleles), { chrom: 2, start: 3, end: 3 });
    await writeZipped(`${out}/${CONSEQUENCES.file}`, tableText(CONSEQUENCES, consequences));
  };
  if (!frozen.preset.functionalAnnotation) {
    manifest.sources = [];
    await write([], []);
    return { skipped: { code: 'annotation_off', message: 'functional annotation is off in the preset' } };
  }
  const set = new AlleleSet();
  for (const { sample } of samples) set.add(await readVcf((await upstream('call', sample)).path('calls.vcf.gz')));
  const alleles = set.sorted(frozen.genome.contigs);
  const folder = await storeFolder(context, REVISION, annotationStep.tools);
  const store = await readStore(folder);
  const unknown = alleles.filter(({ key }) => !store.has(key));
  const found = unknown.length === 0 ? new Map<string, AlleleAnnotation>() : await annotate(context, unknown);
  const lookup = (key: string): AlleleAnnotation => found.get(key) ?? store.get(key)!;
  const transcripts = await transcriptsOf(context, alleleSpans(alleles));
  const ranks = rankTranscripts(transcripts, frozen.panel.transcripts ?? {});
  await write(
    alleles.map((allele) => alleleLine(allele, lookup(allele.key))),
    alleles.flatMap(({ key }) => {
      const { consequences, sift, polyphen } = lookup(key);
      return orderConsequences(consequences, ranks).map((c) => {
        // Scores of amino acid changes do not apply to a change without one.
        const missense = c.terms.includes('missense');
        const scores = [missense ? sift : NO_VALUE, missense ? polyphen : NO_VALUE];
        return [key, c.transcript, c.rank, c.gene, c.terms, c.impact, c.exon, c.intron, c.c, c.p, ...scores].join('\t');
      });
    }),
  );
  const used = new Set(alleles.map(({ key }) => key));
  await addToStore(folder, found, store, used).catch((error: Error) =>
    log.info(`annotations not cached: ${error.message}`),
  );
  return {
    metrics: { alleles: alleles.length, annotated_now: unknown.length },
    warnings: geneSource(context)
      ? []
      : [{ code: 'no_gene_models', message: `the genome ${frozen.genome.value} has no gene models installed` }],
  };
}

export const annotationStep: TaskStep = {
  name: 'annotation',
  scope: 'task',
  revision: REVISION,
  tools: ['bcftools', 'snpEff', 'tabix'],
  inputs,
  run,
};
