import { writeFile } from 'node:fs/promises';
import type { Span } from '@seqpanel/crds/panel.ts';
import { mergedSpans } from '@seqpanel/crds/roi.ts';
import { parseVcf } from '@seqpanel/crds/vcf.ts';
import { fastaPath, Reference } from '../reads/reference.ts';
import { parameter } from '../runner/frozen.ts';
import type { SampleContext } from '../runner/step-definition.ts';
import { chunksOf } from './chunks.ts';
import { sliceBed, slicesAround, toGenomeCoordinates, writeSliceReads, writeSlices } from './reference-slices.ts';

/** An allele called by freebayes, split and normalised by bcftools. */
export interface CallerAllele {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  gt: string;
  gq: number;
  /** Reads (not fragments) of REF and ALT by strand, and mean qualities. */
  refF: number;
  refR: number;
  altF: number;
  altR: number;
  depth: number;
  altBq: number;
  altMq: number;
}

/** Alleles below this frequency come from the counts, because freebayes uses a diploid model. */
export const LEAST_FREQUENCY = 0.1;
/** Bases around a counted change that freebayes examines. */
const WINDOW = 15;

/** A site with a counted change that a diploid model may call. */
export interface CallSite {
  chrom: string;
  pos: number;
  length: number;
}

/** Returns the parts of a chunk near a site. Elsewhere freebayes would find nothing in the same alignments. */
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
 * Runs freebayes on the panel's inserts near counted changes, with one process per processor. The chunks depend on the
 * panel only. Changes separated by one unchanged base are one haplotype, as in the counts (reads/haplotypes.ts).
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
  const slices = slicesAround(chunks.flat(), frozen.genome.contigs);
  const [pieces, reads] = [`${tmp}/slices.fa`, `${tmp}/slices.bam`];
  const reference = await Reference.open(fasta);
  await writeSlices(pieces, slices, reference).finally(() => reference.close());
  await writeSliceReads(context, bam, reads, slices, chunks.flat());
  const results: CallerAllele[][] = chunks.map(() => []);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < chunks.length; i = next++) {
      const bed = `${tmp}/chunk-${i}.bed`;
      await writeFile(bed, sliceBed(chunks[i]!, slices));
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
      const text = await tools.feed(toGenomeCoordinates(called.toString(), slices, frozen.genome.contigs), {
        tool: 'bcftools',
        args: ['norm', '--no-version', '-f', fasta, '-m', '-any', '-'],
      });
      results[i] = parseCalls(text.toString());
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(cpus, chunks.length)) }, worker));
  return results.flat();
}

/** Parses the VCF of freebayes. Skips symbolic and empty ALTs. */
export function parseCalls(vcf: string): CallerAllele[] {
  return parseVcf(vcf).flatMap(({ chrom, pos, ref, alt, info, format }) => {
    if (!/^[ACGTN]+$/i.test(alt)) return [];
    const number = (key: string): number => Number(info.get(key) ?? 0) || 0;
    return [
      {
        chrom,
        pos,
        ref: ref.toUpperCase(),
        alt: alt.toUpperCase(),
        gt: format.get('GT') ?? '.',
        gq: Math.round(Number(format.get('GQ')) || 0),
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
