import { writeFile } from 'node:fs/promises';
import type { Span } from '@seqpanel/crds/panel.ts';
import { mergedSpans } from '@seqpanel/crds/roi.ts';
import { fastaPath, Reference } from '../reads/reference.ts';
import type { SampleContext } from '../step/definition.ts';
import { parameter } from '../step/frozen.ts';
import { chunksOf } from './chunks.ts';
import { placedBed, placesOf, unplace, writePlacedReads, writePlaces } from './places.ts';

/** An allele as freebayes calls it, split and normalised by bcftools. */
export interface CallerAllele {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  gt: string;
  gq: number;
  /** Reads of REF and ALT by strand, and mean qualities. Reads, not fragments. */
  refF: number;
  refR: number;
  altF: number;
  altR: number;
  depth: number;
  altBq: number;
  altMq: number;
}

/** Frequencies below this come from the counts; a diploid model has nothing to say about them. */
export const LEAST_FREQUENCY = 0.1;
/** Bases around a counted change that freebayes looks at. */
const WINDOW = 15;

/** Where the counts show a change that a diploid model may call. */
export interface CallSite {
  chrom: string;
  pos: number;
  length: number;
}

/** The parts of a chunk that lie near a site; freebayes finds nothing where the same alignments show no change. */
export function windowsOf(chunk: readonly Span[], sites: readonly CallSite[], contigs: readonly string[]): Span[] {
  const windows = sites.flatMap((site) =>
    chunk
      .filter(({ chrom, start, end }) => chrom === site.chrom && site.pos <= end && site.pos + site.length > start)
      .map(({ chrom, start, end }) => ({
        chrom,
        start: Math.max(start, site.pos - WINDOW),
        end: Math.min(end, site.pos + site.length + WINDOW),
      })),
  );
  return mergedSpans(windows, contigs);
}

/**
 * freebayes over the panel's inserts where the counts show a change, in chunks fixed by the panel, as many at a time as
 * there are processors. One unchanged base between two changes keeps them one haplotype (DESIGN 6: within one codon or
 * 2 bp).
 */
export async function callGermline(
  context: SampleContext,
  bam: string,
  sites: readonly CallSite[],
): Promise<CallerAllele[]> {
  const { frozen, storage, tmp, tools, cpus } = context;
  const contigs = frozen.genome.contigs.map(({ name }) => name);
  const inserts = frozen.panel.amplicons.map(({ chrom, insert }) => ({ chrom, ...insert }));
  const chunks = chunksOf(mergedSpans(inserts, contigs))
    .map((chunk) => windowsOf(chunk, sites, contigs))
    .filter((windows) => windows.length > 0);
  if (chunks.length === 0) return [];
  const fasta = `${storage}/${fastaPath(frozen.genome)}`;
  const places = placesOf(chunks.flat(), frozen.genome.contigs);
  const [pieces, reads] = [`${tmp}/places.fa`, `${tmp}/places.bam`];
  const reference = await Reference.open(fasta);
  await writePlaces(pieces, places, reference).finally(() => reference.close());
  await writePlacedReads(context, bam, reads, places, chunks.flat());
  const results: CallerAllele[][] = chunks.map(() => []);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < chunks.length; i = next++) {
      const bed = `${tmp}/chunk-${i}.bed`;
      await writeFile(bed, placedBed(chunks[i]!, places));
      const called = await tools.capture({
        tool: 'freebayes',
        args: [
          ...['-f', pieces, '-t', bed],
          ...['--max-complex-gap', '1', '--haplotype-length', '1'],
          ...['--min-alternate-fraction', `${LEAST_FREQUENCY}`, '--min-alternate-count', '3'],
          ...['--min-mapping-quality', `${parameter(frozen, 'min_mapq')}`],
          ...['--min-base-quality', `${parameter(frozen, 'min_baseq')}`],
          ...['--use-best-n-alleles', '4', '--use-duplicate-reads', '--genotype-qualities'],
          reads,
        ],
      });
      const text = await tools.feed(unplace(called.toString(), places, frozen.genome.contigs), {
        tool: 'bcftools',
        args: ['norm', '--no-version', '-f', fasta, '-m', '-any', '-'],
      });
      results[i] = parseCalls(text.toString());
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(cpus, chunks.length)) }, worker));
  return results.flat();
}

/** Rows of freebayes' VCF; symbolic and empty ALTs are left out. */
export function parseCalls(vcf: string): CallerAllele[] {
  return vcf.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [chrom, pos, , ref, alt, , , info, format, sample] = line.split('\t');
    if (!/^[ACGTN]+$/i.test(alt ?? '')) return [];
    const facts = new Map(info!.split(';').map((item) => item.split('=', 2) as [string, string]));
    const number = (key: string): number => Number(facts.get(key) ?? 0) || 0;
    const keys = format!.split(':');
    const values = sample!.split(':');
    const field = (key: string): string => values[keys.indexOf(key)] ?? '.';
    return [
      {
        chrom: chrom!,
        pos: Number(pos),
        ref: ref!.toUpperCase(),
        alt: alt!.toUpperCase(),
        gt: field('GT'),
        gq: Math.round(Number(field('GQ')) || 0),
        refF: number('SRF'),
        refR: number('SRR'),
        altF: number('SAF'),
        altR: number('SAR'),
        depth: number('DP'),
        altBq: number('SAF') + number('SAR') === 0 ? 0 : number('QA') / (number('SAF') + number('SAR')),
        altMq: number('MQM'),
      },
    ];
  });
}
