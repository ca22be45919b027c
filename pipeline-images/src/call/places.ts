import { writeFile } from 'node:fs/promises';
import type { Span } from '@seqpanel/crds/panel.ts';
import { mergedSpans } from '@seqpanel/crds/roi.ts';
import type { Reference } from '../reads/reference.ts';
import { formatCigar, SamRecord } from '../reads/sam-record.ts';
import type { SampleContext } from '../step/definition.ts';
import { write } from '../tools/write.ts';

/** Reference bases on each side of a window: more than a read is long, so that its reads lie inside. */
const PAD = 600;
const NEWLINE = 10;
const FLAG_REVERSE = 16;
/** Unmapped, secondary, failed and supplementary reads: freebayes would not count them. */
const LEFT_OUT = 4 + 256 + 512 + 2048;

/** A piece of the reference with its reads, as a contig of its own. */
export interface Place extends Span {
  name: string;
}

/**
 * The pieces of the reference around windows. freebayes reads every contig whole that it touches: on a human genome
 * that takes longer than calling, so it is given these pieces instead.
 */
export function placesOf(windows: readonly Span[], contigs: readonly { name: string; length: number }[]): Place[] {
  const lengths = new Map(contigs.map(({ name, length }) => [name, length]));
  const padded = windows.map(({ chrom, start, end }) => ({
    chrom,
    start: Math.max(1, start - PAD),
    end: Math.min(lengths.get(chrom) ?? end + PAD, end + PAD),
  }));
  const names = contigs.map(({ name }) => name);
  return mergedSpans(padded, names).map((span, i) => ({ ...span, name: `place${i}` }));
}

/** Writes the pieces as an indexed FASTA. */
export async function writePlaces(fasta: string, places: readonly Place[], reference: Reference): Promise<void> {
  let text = '';
  let index = '';
  for (const { name, chrom, start, end } of places) {
    const { bases } = await reference.bases(chrom, start, end);
    text += `>${name}\n`;
    index += `${name}\t${bases.length}\t${text.length}\t${bases.length}\t${bases.length + 1}\n`;
    text += `${bases}\n`;
  }
  await Promise.all([writeFile(fasta, text), writeFile(`${fasta}.fai`, index)]);
}

/** BED of windows in the places' coordinates. */
export const placedBed = (windows: readonly Span[], places: readonly Place[]): string =>
  windows
    .map(({ chrom, start, end }) => {
      const place = places.find((p) => p.chrom === chrom && p.start <= start && p.end >= end)!;
      return `${place.name}\t${start - place.start}\t${end - place.start + 1}\n`;
    })
    .join('');

/** Copies the reads over the windows into `bam`, in the places' coordinates, and indexes it. */
export async function writePlacedReads(
  { tools, tmp }: SampleContext,
  from: string,
  bam: string,
  places: readonly Place[],
  windows: readonly Span[],
): Promise<void> {
  const bed = `${tmp}/places.bed`;
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
  const byContig = new Map<string, Place[]>();
  for (const place of places) byContig.set(place.chrom, [...(byContig.get(place.chrom) ?? []), place]);
  const header = places.map(({ name, start, end }) => `@SQ\tSN:${name}\tLN:${end - start + 1}\n`).join('');
  sink.stdin!.write(`@HD\tVN:1.6\tSO:coordinate\n${header}@RG\tID:s\tSM:s\n`);
  const record = new SamRecord();
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source.stdout!) {
    const buffer = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    const lines: string[] = [];
    let at = 0;
    for (let end = buffer.indexOf(NEWLINE, at); end >= 0; end = buffer.indexOf(NEWLINE, at)) {
      record.parse(buffer, at, end, new Map());
      const place = (byContig.get(record.chrom) ?? []).find(
        ({ start, end: last }) => record.pos >= start && record.refEnd <= last,
      );
      if (place) lines.push(placedLine(record, place));
      at = end + 1;
    }
    rest = buffer.subarray(at);
    if (lines.length > 0) await write(sink.stdin!, lines.join('')).catch(() => undefined);
  }
  sink.stdin!.end();
  await Promise.all([source.done, sink.done]);
}

/** The read alone: freebayes does not look at mates. */
function placedLine(read: SamRecord, place: Place): string {
  const { buffer, start, ends } = read;
  const name = buffer.toString('latin1', start, ends[0]);
  const bases = buffer.toString('latin1', ends[8]! + 1, ends[10]);
  const pos = read.pos - place.start + 1;
  return `${name}\t${read.flag & FLAG_REVERSE}\t${place.name}\t${pos}\t${read.mapq}\t${formatCigar(read.cigar)}\t*\t0\t0\t${bases}\tRG:Z:s\n`;
}

/** A VCF of the places in the genome's coordinates, with a header that names the genome's contigs. */
export function unplace(
  vcf: string,
  places: readonly Place[],
  contigs: readonly { name: string; length: number }[],
): string {
  const byName = new Map(places.map((place) => [place.name, place]));
  const lines: string[] = [];
  for (const line of vcf.split('\n')) {
    if (line.startsWith('##contig') || line.startsWith('##reference') || line.startsWith('##commandline')) continue;
    if (line.startsWith('#CHROM'))
      for (const { name, length } of contigs) lines.push(`##contig=<ID=${name},length=${length}>`);
    const place = line.startsWith('#') ? undefined : byName.get(line.slice(0, line.indexOf('\t')));
    if (!place) {
      lines.push(line);
      continue;
    }
    const [, pos, ...cells] = line.split('\t');
    lines.push([place.chrom, Number(pos) + place.start - 1, ...cells].join('\t'));
  }
  return lines.join('\n');
}
