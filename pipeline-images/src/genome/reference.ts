/** Checks a FASTA, builds its indexes and installs them in references/<value>/. */

import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { aliasesOf, canonicalName } from '@seqpanel/crds/contigs.ts';
import { installedGenome, referenceDir } from '@seqpanel/crds/storage.ts';
import { BadInput } from '../runner/bad-input.ts';
import { hashFile } from '../runner/files.ts';
import type { FrozenGenome } from '../runner/frozen.ts';
import type { CheckContext } from '../runner/step-definition.ts';
import { ToolFailed } from '../tools/tool-errors.ts';
import { putFilesInPlace } from './atomic-folder.ts';
import { unpackFasta } from './fasta.ts';

/** File names in references/<value>/. */
export const FASTA = 'genome.fa';
export const MINIMAP2_INDEX = 'genome.sr.mmi';
/** Increase when the same FASTA would give other files. */
const REVISION = 2;

export type Aligner = 'minimap2' | 'bwa';

export interface ReferenceRequest {
  value: string;
  displayName: string;
  synthetic: boolean;
  aligners: readonly Aligner[];
  /** Absolute path of the FASTA, and its name in messages. */
  fasta: string;
  name: string;
  sha256?: string;
}

/** genome.json of an installed reference: the part that a task freezes, and the source. */
export interface InstalledGenome extends FrozenGenome {
  source: {
    sha256: string;
    revision: number;
    aligners: readonly string[];
    tools: Record<string, string>;
    /** Memory of the loaded index by aligner. Measured on this machine, so it is not frozen for tasks. */
    memoryMiB: Record<string, number>;
  };
}

const MIB = 1 << 20;
/** Measured memory of an aligner for reads and alignments at its batch size, in addition to the index. */
const AT_WORK_MIB = 300;

/** Returns the installed genome.json, or undefined when there is none that can be read. */
export async function readInstalled(storage: string, value: string): Promise<InstalledGenome | undefined> {
  return readFile(`${storage}/${installedGenome(value)}`, 'utf8')
    .then((text) => JSON.parse(text) as InstalledGenome)
    .catch(() => undefined);
}

/** Returns the contigs of a FASTA in file order, with md5, canonical names and aliases. */
async function readContigs(context: CheckContext, fasta: string): Promise<FrozenGenome['contigs']> {
  const dict = await context.tools.capture({ tool: 'samtools', args: ['dict', fasta] });
  return dict
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('@SQ'))
    .map((line) => {
      const tag = (key: string): string => new RegExp(`\t${key}:([^\t]*)`).exec(line)?.[1] ?? '';
      const [name, md5] = [tag('SN'), tag('M5')];
      return {
        name,
        canonical: canonicalName(name, md5),
        aliases: aliasesOf(name, md5),
        length: Number(tag('LN')),
        md5,
      };
    });
}

/**
 * Returns the memory that minimap2 reports after loading an index. The file's size is no measure, because the tables
 * in memory are 1.3 to 2.6 times as large as their part of the file.
 */
async function loadedMiB({ tools }: CheckContext, index: string): Promise<number> {
  const load = 'exec minimap2 -ax sr "$1" /dev/null 2>&1 >/dev/null';
  const output = (await tools.capture({ tool: 'bash', args: ['-c', load, 'bash', index] })).toString();
  const gib = /Peak RSS: ([\d.]+) GB/.exec(output)?.[1];
  if (gib === undefined) throw new Error(`minimap2 reported no memory usage: ${output.trim().slice(-200)}`);
  return Math.ceil(Number(gib) * 1024);
}

async function buildIndexes(context: CheckContext, dir: string, aligners: readonly Aligner[], place: string) {
  const versions = await context.tools.versions(aligners);
  const indexes: FrozenGenome['indexes'] = [];
  const memoryMiB: Record<string, number> = {};
  const fasta = `${dir}/${FASTA}`;
  if (aligners.includes('minimap2')) {
    const file = `${dir}/${MINIMAP2_INDEX}`;
    await context.tools.run({ tool: 'minimap2', args: ['-x', 'sr', '-t', `${context.cpus}`, '-d', file, fasta] });
    memoryMiB['minimap2'] = (await loadedMiB(context, file)) + AT_WORK_MIB;
    indexes.push({ tool: 'minimap2', version: versions['minimap2'], path: `${place}/${MINIMAP2_INDEX}` });
  }
  if (aligners.includes('bwa')) {
    await context.tools.run({ tool: 'bwa', args: ['index', fasta] });
    const sizes = await Promise.all(['bwt', 'sa', 'pac'].map(async (end) => (await stat(`${fasta}.${end}`)).size));
    memoryMiB['bwa'] = Math.ceil(sizes.reduce((a, b) => a + b, 0) / MIB) + AT_WORK_MIB;
    indexes.push({ tool: 'bwa', version: versions['bwa'], path: `${place}/${FASTA}` });
  }
  return { indexes, memoryMiB, versions };
}

/** Returns the installed genome, under its current name, when it was built from the same bytes in the same way. */
async function keepInstalled(
  storage: string,
  request: ReferenceRequest,
  sha256: string,
): Promise<InstalledGenome | undefined> {
  const present = await readInstalled(storage, request.value);
  const same =
    present?.source.sha256 === sha256 &&
    present.source.revision === REVISION &&
    request.aligners.every((aligner) => present.source.aligners.includes(aligner));
  if (!same) return undefined;
  const { synthetic: _, ...rest } = present;
  const now = { ...rest, displayName: request.displayName, ...(request.synthetic ? { synthetic: true } : {}) };
  if (JSON.stringify(now) !== JSON.stringify(present)) {
    const file = `${storage}/${installedGenome(request.value)}`;
    await writeFile(`${file}.half`, jsonText(now));
    await rename(`${file}.half`, file);
  }
  return now;
}

/**
 * Installs the reference, or reuses the installed one when it was built from the same bytes in the same way. Throws
 * BadInput for an invalid FASTA.
 */
export async function installReference(context: CheckContext, request: ReferenceRequest): Promise<InstalledGenome> {
  const { storage, log } = context;
  const place = referenceDir(request.value);
  const { sha256 } = await hashFile(request.fasta);
  if (request.sha256 !== undefined && request.sha256 !== sha256)
    throw new BadInput(request.name, undefined, `has SHA-256 ${sha256}, expected ${request.sha256}`, 'hash_mismatch');
  const present = await keepInstalled(storage, request, sha256);
  if (present) {
    log.info(`${place}: already installed from the same file`);
    return present;
  }
  return putFilesInPlace(`${storage}/${place}`, basename(installedGenome(request.value)), (work) =>
    make(context, request, sha256, work),
  );
}

/** Writes FASTA, indexes and genome.json to the work folder. */
async function make(
  context: CheckContext,
  request: ReferenceRequest,
  sha256: string,
  work: string,
): Promise<InstalledGenome> {
  const { tools } = context;
  await unpackFasta(request.fasta, `${work}/${FASTA}`, request.name, context.signal);
  await tools.run({ tool: 'samtools', args: ['faidx', `${work}/${FASTA}`] }).catch((error: unknown) => {
    if (error instanceof ToolFailed) throw new BadInput(request.name, undefined, error.message, 'fasta_invalid');
    throw error;
  });
  const dir = referenceDir(request.value);
  const contigs = await readContigs(context, `${work}/${FASTA}`);
  const { indexes, memoryMiB, versions } = await buildIndexes(context, work, request.aligners, dir);
  const genome: InstalledGenome = {
    schema_version: 1,
    value: request.value,
    displayName: request.displayName,
    dir,
    contigs,
    indexes,
    source: {
      sha256,
      revision: REVISION,
      aligners: request.aligners,
      tools: { ...versions, ...(await tools.versions(['samtools'])) },
      memoryMiB,
    },
    ...(request.synthetic ? { synthetic: true } : {}),
  };
  await writeFile(`${work}/genome.json`, jsonText(genome));
  return genome;
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;
