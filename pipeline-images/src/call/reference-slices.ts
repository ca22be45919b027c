import { writeFile } from 'node:fs/promises';
import type { Span } from '@seqpanel/crds/panel.ts';
import { mergedSpans } from '@seqpanel/crds/roi.ts';
import type { Reference } from '../reads/reference.ts';
import { formatCigar, SamRecord } from '../reads/sam-record.ts';
import type { SampleContext } from '../runner/step-definition.ts';
import { write } from '../tools/write-chunk.ts';

/** Reference bases on each side of a window, longer than a read, so that the slice contains the window's reads. */
const PAD = 600;
const NEWLINE = 10;
const FLAG_REVERSE = 16;
/** Flags of unmapped, secondary, failed and supplementary reads, which freebayes ignores. */
const LEFT_OUT = 4 + 256 + 512 + 2048;

/** A slice of the reference, used as a contig of its own. */
export interface ReferenceSlice extends Span {
  name: string;
}

/**
 * Returns the slices of the reference around windows. freebayes reads complete contigs, which on a human genome takes
 * longer than calling, so it gets these slices instead.
 */
export function slicesAround(
  windows: readonly Span[],
  contigs: readonly { name: string; length: number }[],
): ReferenceSlice[] {
  const lengths = new Map(contigs.map(({ name, length }) => [name, length]));
  const padded = windows.map(({ chrom, start, end }) => ({
    chrom,
    start: Math.max(1, start - PAD),
    end: Math.min(lengths.get(chrom) ?? end + PAD, end + PAD),
  }));
  const names = contigs.map(({ name }) => name);
  return mergedSpans(padded, names).map((span, i) => ({ ...span, name: `slice${i}` }));
}

/** Writes the slices as an indexed FASTA. */
export async function writeSlices(
  fasta: string,
  slices: readonly ReferenceSlice[],
  reference: Reference,
): Promise<void> {
  let text = '';
  let index = '';
  for (const { name, chrom, start, end } of slices) {
    const { bases } = await reference.bases(chrom, start, end);
    text += `>${name}\n`;
    index += `${name}\t${bases.length}\t${text.length}\t${bases.length}\t${bases.length + 1}\n`;
    text += `${bases}\n`;
  }
  await Promise.all([writeFile(fasta, text), writeFile(`${fasta}.fai`, index)]);
}

/** Returns the windows as BED in the slices' coordinates. */
export const sliceBed = (windows: readonly Span[], slices: readonly ReferenceSlice[]): string =>
  windows
    .map(({ chrom, start, end }) => {
      const slice = slices.find((p) => p.chrom === chrom && p.start <= start && p.end >= end)!;
      return `${slice.name}\t${start - slice.start}\t${end - slice.start + 1}\n`;
    })
    .join('');

/** Copies the reads over the windows to `bam` in the slices' coordinates, and indexes it. */
export async function writeSliceReads(
  { tools, tmp }: SampleContext,
  from: string,
  bam: string,
  slices: readonly ReferenceSlice[],
  windows: readonly Span[],
): Promise<void> {
  const bed = `${tmp}/slices.bed`;
  await writeFile(bed, windows.map(({ chrom, start, end }) => `${chrom}\t${start - 1}\t${end}\n`).join(''));
  const source = tools.start(
    [{ tool: 'samtools', args: ['view', '--no-PG', '-M', '-L', bed, '-F', `${LEFT_OUT}`, from] }],
    { stdout: true },
  );
  const sink = tools.start(
    [{ tool: 'samtools', args: ['view', '-u', '--no-PG', '--write-index', '-o', `${bam}##idx##${bam}.bai`, '-'] }],
    { stdin: true },
  );
  sink.stdin!.on('error', () => undefined);
  const byContig = new Map<string, ReferenceSlice[]>();
  for (const slice of slices) byContig.set(slice.chrom, [...(byContig.get(slice.chrom) ?? []), slice]);
  const header = slices.map(({ name, start, end }) => `@SQ\tSN:${name}\tLN:${end - start + 1}\n`).join('');
  sink.stdin!.write(`@HD\tVN:1.6\tSO:coordinate\n${header}@RG\tID:s\tSM:s\n`);
  const record = new SamRecord();
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source.stdout!) {
    const buffer = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    const lines: string[] = [];
    let at = 0;
    for (let end = buffer.indexOf(NEWLINE, at); end >= 0; end = buffer.indexOf(NEWLINE, at)) {
      record.parse(buffer, at, end, new Map());
      const slice = (byContig.get(record.chrom) ?? []).find(
        ({ start, end: last }) => record.pos >= start && record.refEnd <= last,
      );
      if (slice) lines.push(samLine(record, slice));
      at = end + 1;
    }
    rest = buffer.subarray(at);
    if (lines.length > 0) await write(sink.stdin!, lines.join('')).catch(() => undefined);
  }
  sink.stdin!.end();
  await Promise.all([source.done, sink.done]);
}

/** Returns the SAM line of a read without its mate, because freebayes ignores mates. */
function samLine(read: SamRecord, slice: ReferenceSlice): string {
  const { buffer, start, ends } = read;
  const name = buffer.toString('latin1', start, ends[0]);
  const bases = buffer.toString('latin1', ends[8]! + 1, ends[10]);
  const pos = read.pos - slice.start + 1;
  return `${name}\t${read.flag & FLAG_REVERSE}\t${slice.name}\t${pos}\t${read.mapq}\t${formatCigar(read.cigar)}\t*\t0\t0\t${bases}\tRG:Z:s\n`;
}

/** Converts a VCF of the slices to the genome's coordinates and contigs. */
export function toGenomeCoordinates(
  vcf: string,
  slices: readonly ReferenceSlice[],
  contigs: readonly { name: string; length: number }[],
): string {
  const byName = new Map(slices.map((slice) => [slice.name, slice]));
  const lines: string[] = [];
  for (const line of vcf.split('\n')) {
    if (line.startsWith('##contig') || line.startsWith('##reference') || line.startsWith('##commandline')) continue;
    if (line.startsWith('#CHROM'))
      for (const { name, length } of contigs) lines.push(`##contig=<ID=${name},length=${length}>`);
    const slice = line.startsWith('#') ? undefined : byName.get(line.slice(0, line.indexOf('\t')));
    if (!slice) {
      lines.push(line);
      continue;
    }
    const [, pos, ...cells] = line.split('\t');
    lines.push([slice.chrom, Number(pos) + slice.start - 1, ...cells].join('\t'));
  }
  return lines.join('\n');
}
