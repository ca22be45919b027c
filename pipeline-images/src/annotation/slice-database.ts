/**
 * A snpEff database of the genes near a task's alleles, built on slices of the reference. A whole-genome database takes
 * gigabytes and half a minute to load each time. This one is built in a second and kept for later tasks.
 */

import { cp, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { cacheDir } from '@seqpanel/crds/storage.ts';
import { toGff3 } from '../genome/snpeff-gff3.ts';
import type { Transcript } from '../genome/transcript.ts';
import type { Reference } from '../reads/reference.ts';
import { fingerprint } from '../runner/fingerprint.ts';
import type { TaskContext } from '../runner/step-definition.ts';

/** A named slice of a contig (1-based, both ends included). */
export interface GeneSlice {
  name: string;
  chrom: string;
  start: number;
  end: number;
}

/** Bases around the genes of a slice, needed for splice regions and shifted indels. */
const FLANK = 500;
/** Name of the genome in the database. */
export const DATABASE_GENOME = 'genes';
const CONFIG = 'snpEff.config';
const REVISION = 1;

/** Returns slices that contain complete transcripts. Joins overlapping ones. Transcripts are sorted by contig and start. */
export function sliceGenes(transcripts: readonly Transcript[], contigLength: (chrom: string) => number): GeneSlice[] {
  const out: GeneSlice[] = [];
  for (const { chrom, start, end } of transcripts) {
    const [from, to] = [Math.max(1, start - FLANK), Math.min(contigLength(chrom), end + FLANK)];
    const last = out.at(-1);
    if (last?.chrom === chrom && from <= last.end + 1) last.end = Math.max(last.end, to);
    else out.push({ name: `s${out.length + 1}`, chrom, start: from, end: to });
  }
  return out;
}

/** Converts a transcript to the coordinates of its slice. */
export function onSlice(transcript: Transcript, { name, start }: GeneSlice): Transcript {
  const move = <P extends { start: number; end: number }>(part: P): P => ({
    ...part,
    start: part.start - start + 1,
    end: part.end - start + 1,
  });
  return { ...move(transcript), chrom: name, exons: transcript.exons.map(move), cds: transcript.cds.map(move) };
}

const isMitochondrial = (chrom: string): boolean => /^(chr)?MT?$/i.test(chrom);

/** NCBI translation table 2. snpEff reads codon tables only from its configuration: `+` marks start codons, `*` stops. */
function vertebrateMitochondrial(): string {
  const acids = 'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG';
  const starts = new Set(['ATT', 'ATC', 'ATA', 'ATG', 'GTG']);
  const bases = 'TCAG';
  const codons = [...acids].map((acid, i) => {
    const codon = `${bases[i >> 4]}${bases[(i >> 2) & 3]}${bases[i & 3]}`;
    return `${codon}/${acid}${starts.has(codon) ? '+' : ''}`;
  });
  return `codon.Vertebrate_Mitochondrial: ${codons.join(', ')}\n`;
}

/** Returns the configuration. `./data` is relative to it, so the finished database can be renamed into place. */
function configText(slices: readonly GeneSlice[]): string {
  const tables = slices
    .filter(({ chrom }) => isMitochondrial(chrom))
    .map(({ name }) => `${DATABASE_GENOME}.${name}.codonTable : Vertebrate_Mitochondrial\n`);
  return `data.dir = ./data/\n${DATABASE_GENOME}.genome : slices\n${tables.join('')}${vertebrateMitochondrial()}`;
}

const heap = ({ memoryMiB }: TaskContext): string[] => ['-Xms64m', `-Xmx${Math.max(512, memoryMiB - 512)}m`];

/** Returns the snpEff command. The Java settings shorten its start because each run is short. */
export function snpEff(context: TaskContext, args: readonly string[]) {
  process.env['JAVA_TOOL_OPTIONS'] ??= '-XX:+UseSerialGC -XX:TieredStopAtLevel=1';
  const [command, ...rest] = args;
  return { tool: 'snpEff', args: [...heap(context), command!, '-noLog', '-nodownload', ...rest] };
}

/** Returns the configuration file of the database for these transcripts. Builds the database unless it is cached. */
export async function openDatabase(
  context: TaskContext,
  transcripts: readonly Transcript[],
  slices: readonly GeneSlice[],
  reference: Reference,
): Promise<string> {
  const { storage, task, tmp, tools, frozen, log } = context;
  const bySlice = new Map(slices.map((slice) => [slice, transcripts.filter((t) => isWithin(t, slice))]));
  const gff = toGff3([...bySlice].flatMap(([slice, own]) => own.map((t) => onSlice(t, slice))));
  const versions = await tools.versions(['snpEff']);
  const contigs = frozen.genome.contigs.map(({ name, length, md5 }) => [name, length, md5]);
  const key = fingerprint('snpeff-slices', REVISION, versions, { gff, slices, contigs });
  const place = `${storage}/${cacheDir(task.spec.group, `snpeff-${key}`)}`;
  if (await stat(`${place}/${CONFIG}`).catch(() => undefined)) return `${place}/${CONFIG}`;
  const work = `${tmp}/snpeff`;
  const data = `${work}/data/${DATABASE_GENOME}`;
  await mkdir(data, { recursive: true });
  await writeFile(`${data}/genes.gff`, gff);
  const fasta = await Promise.all(
    slices.map(
      async ({ name, chrom, start, end }) => `>${name}\n${(await reference.bases(chrom, start, end)).bases}\n`,
    ),
  );
  await writeFile(`${data}/sequences.fa`, fasta.join(''));
  await writeFile(`${work}/${CONFIG}`, configText(slices));
  const options = ['build', '-gff3', '-noCheckCds', '-noCheckProtein', '-c', `${work}/${CONFIG}`, DATABASE_GENOME];
  await tools.run(snpEff(context, options));
  for (const source of ['genes.gff', 'sequences.fa']) await rm(`${data}/${source}`);
  try {
    await keep(work, place);
    return `${place}/${CONFIG}`;
  } catch (error) {
    // Another pod was first, or the storage is full. Use the copy in the work folder for this task.
    log.info(`gene database not cached: ${(error as Error).message}`);
    return `${work}/${CONFIG}`;
  }
}

/** Moves a folder into place, also between mounts, because in a cluster the task folder is a mount of its own. */
async function keep(work: string, place: string): Promise<void> {
  await mkdir(dirname(place), { recursive: true });
  const half = `${place}.${process.pid}-${Date.now()}`;
  try {
    await rename(work, place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await cp(work, half, { recursive: true });
    await rename(half, place);
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}

/** Reports whether a slice contains a whole interval. */
export const isWithin = (part: { chrom: string; start: number; end: number }, slice: GeneSlice): boolean =>
  part.chrom === slice.chrom && part.start >= slice.start && part.end <= slice.end;
