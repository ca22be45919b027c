/** Consequences of alleles in transcripts. Runs snpEff at most once per task. */

import { writeFile } from 'node:fs/promises';
import { mergedSpans } from '@seqpanel/crds/roi.ts';
import { parseVcf } from '@seqpanel/crds/vcf.ts';
import type { Transcript } from '../genome/transcript.ts';
import { parseTranscript } from '../genome/transcripts-table.ts';
import type { Reference } from '../reads/reference.ts';
import type { TaskContext } from '../runner/step-definition.ts';
import { alleleSpans, type Consequence, type RunAllele } from './alleles.ts';
import { codingStretches, frameshiftName } from './frameshift.ts';
import { codingName, proteinName } from './hgvs.ts';
import { DATABASE_GENOME, isWithin, openDatabase, sliceGenes, snpEff } from './slice-database.ts';
import { ensemblTerms } from './terms.ts';

/** Returns the task's installed gene models, or undefined when the genome has none. */
export const geneSource = ({ frozen }: TaskContext) => frozen.annotation.sources.find(({ kind }) => kind === 'genes');

/** Returns the transcripts that overlap one of the spans (1-based). */
export async function transcriptsOf(
  context: TaskContext,
  spans: readonly { chrom: string; start: number; end: number }[],
): Promise<Transcript[]> {
  const source = geneSource(context);
  if (!source || spans.length === 0) return [];
  const regions = `${context.tmp}/transcripts.bed`;
  await writeFile(regions, spans.map((s) => `${s.chrom}\t${s.start - 1}\t${s.end}\n`).join(''));
  const text = await context.tools.capture({
    tool: 'tabix',
    args: ['-R', regions, `${context.storage}/${source.path}`],
  });
  // tabix prints a transcript that overlaps two spans twice.
  const lines = new Set(
    text
      .toString()
      .split('\n')
      .filter((line) => line !== ''),
  );
  return [...lines].map(parseTranscript);
}

/** Returns the first overlapped exon or intron as `number/of`, counted in the transcript's direction. */
export function partNumbers(t: Transcript, pos: number, end: number): { exon: string; intron: string } {
  const n = t.exons.length;
  const number = (i: number, of: number): number => (t.strand === '+' ? i + 1 : of - i);
  const exon = t.exons.findIndex((part) => part.start <= end && part.end >= pos);
  if (exon >= 0) return { exon: `${number(exon, n)}/${n}`, intron: '.' };
  const intron = t.exons.findIndex((part, i) => part.end < pos && (t.exons[i + 1]?.start ?? 0) > end);
  return { exon: '.', intron: intron >= 0 ? `${number(intron, n - 1)}/${n - 1}` : '.' };
}

/** Returns the bases that an allele changes, without the anchor of an indel. */
export function changedSpan({ pos, ref, alt }: { pos: number; ref: string; alt: string }): {
  start: number;
  end: number;
} {
  if (ref.length === alt.length || ref[0] !== alt[0]) return { start: pos, end: pos + ref.length - 1 };
  return ref.length > 1 ? { start: pos + 1, end: pos + ref.length - 1 } : { start: pos, end: pos + 1 };
}

/** Parses one ANN entry of snpEff. Returns undefined when it names no transcript of the table. */
function readEntry(entry: string, allele: RunAllele, byId: ReadonlyMap<string, Transcript>): Consequence | undefined {
  const [, terms, , gene, , , id, , , c, p] = entry.split('|');
  const transcript = byId.get(id ?? '');
  if (!transcript) return undefined;
  const { start, end } = changedSpan(allele);
  return {
    transcript: transcript.id,
    gene: gene || transcript.gene,
    ...ensemblTerms(terms ?? ''),
    ...partNumbers(transcript, start, end),
    c: c ? codingName(c) : '.',
    p: p ? proteinName(p) : '.',
  };
}

/** Replaces snpEff's short name of a frameshift (`p.Ser1982fs`) by the full one where it can be determined. */
async function nameFrameshift(
  consequence: Consequence,
  allele: RunAllele,
  transcript: Transcript,
  reference: Reference,
): Promise<void> {
  // Skip mitochondrial genes: snpEff names frameshifts by the standard code, which has other stop codons.
  if (!/^p\..*fs$/.test(consequence.p) || /^(chr)?MT?$/i.test(allele.chrom)) return;
  const stretches = codingStretches(transcript);
  const bases = await Promise.all(
    stretches.map(async ({ start, end }) => (await reference.bases(allele.chrom, start, end)).bases),
  );
  consequence.p = frameshiftName(transcript, allele, stretches, bases) ?? consequence.p;
}

/** Returns consequences by allele key. Alleles outside all transcripts have none. `alleles` are in the genome's order. */
export async function findConsequences(
  context: TaskContext,
  alleles: readonly RunAllele[],
  reference: Reference,
): Promise<Map<string, Consequence[]>> {
  const { tools, tmp, frozen } = context;
  const out = new Map<string, Consequence[]>();
  const { contigs, panel } = { contigs: frozen.genome.contigs, panel: frozen.panel };
  // Build the database from the panel's regions so that tasks of one panel share it. Calls outside (capture) are added.
  const places = mergedSpans(
    [...panel.amplicons, ...alleleSpans(alleles)],
    contigs.map((c) => c.name),
  );
  const transcripts = await transcriptsOf(context, places);
  const lengths = new Map(contigs.map((c) => [c.name, c.length]));
  const slices = sliceGenes(transcripts, (chrom) => lengths.get(chrom)!);
  const placed = alleles.flatMap((allele) => {
    const { chrom, pos, ref } = allele;
    const slice = slices.find((s) => isWithin({ chrom, start: pos, end: pos + ref.length - 1 }, s));
    return slice ? [{ allele, chrom: slice.name, pos: pos - slice.start + 1 }] : [];
  });
  if (placed.length === 0) return out;
  const header = slices.map((s) => `##contig=<ID=${s.name},length=${s.end - s.start + 1}>\n`).join('');
  const lines = placed.map(({ allele: a, chrom, pos }) => `${chrom}\t${pos}\t${a.key}\t${a.ref}\t${a.alt}\t.\t.\t.\n`);
  await writeFile(
    `${tmp}/alleles.vcf`,
    `##fileformat=VCFv4.2\n${header}#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n${lines.join('')}`,
  );
  const config = await openDatabase(context, transcripts, slices, reference);
  const options = [
    'ann',
    '-noStats',
    '-no-upstream',
    '-no-downstream',
    '-c',
    config,
    DATABASE_GENOME,
    `${tmp}/alleles.vcf`,
  ];
  const text = await tools.capture(snpEff(context, options));
  const byId = new Map(transcripts.map((t) => [t.id, t]));
  const byPlace = new Map(placed.map(({ allele: a, chrom, pos }) => [`${chrom}\t${pos}\t${a.ref}\t${a.alt}`, a]));
  for (const record of parseVcf(text.toString())) {
    const allele = byPlace.get(`${record.chrom}\t${record.pos}\t${record.ref}\t${record.alt}`);
    if (!allele) continue;
    const entries = (record.info.get('ANN') ?? '').split(',').flatMap((e) => readEntry(e, allele, byId) ?? []);
    // Keep one row per transcript: snpEff repeats it for a motif or another gene it overlaps.
    const once = new Map(entries.toReversed().map((entry) => [entry.transcript, entry]));
    for (const entry of once.values()) await nameFrameshift(entry, allele, byId.get(entry.transcript)!, reference);
    if (once.size > 0) out.set(allele.key, [...once.values()]);
  }
  return out;
}
