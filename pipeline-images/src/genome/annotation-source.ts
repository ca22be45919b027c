/** Installs an annotation source below annotation/<genome>.<name>/<version>/, with the genome's contig names. */

import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { annotationBundle, annotationDir } from '@seqpanel/crds/storage.ts';
import { BadInput } from '../runner/bad-input.ts';
import { hashFile } from '../runner/files.ts';
import type { FrozenAnnotation } from '../runner/frozen.ts';
import type { CheckContext } from '../runner/step-definition.ts';
import { ToolFailed } from '../tools/tool-errors.ts';
import { putInPlace } from './atomic-folder.ts';
import { openText } from './fasta.ts';
import { GeneModelReader } from './gene-models.ts';
import { FASTA, type InstalledGenome } from './reference.ts';
import { formatTranscript, TRANSCRIPT_COLUMNS } from './transcripts-table.ts';
import { inGenomeNames } from './vcf-contigs.ts';

/** Increase when the same source would give other files. */
const REVISION = 2;
export const INSTALLED = 'installed.json';
export const SITES = 'sites.vcf.gz';
export const TRANSCRIPTS = 'transcripts.tsv.gz';

export interface AnnotationRequest {
  name: string;
  kind: string;
  version: string;
  file: string;
  /** Name of the source in messages. */
  label: string;
  sha256?: string;
}

interface Installed {
  schema_version: 1;
  name: string;
  kind: string;
  version: string;
  /** Hash of the source file, its genome and this method. */
  source: { sha256: string; genome: string; revision: number };
  path: string;
  sha256: string;
}

/** Installs a source, or reuses the installed one when source file and genome are the same. */
export async function installAnnotation(
  context: CheckContext,
  genome: InstalledGenome,
  request: AnnotationRequest,
): Promise<FrozenAnnotation['sources'][number]> {
  const place = annotationDir(annotationBundle(genome.value, request.name), request.version);
  const { sha256 } = await hashFile(request.file);
  if (request.sha256 !== undefined && request.sha256 !== sha256)
    throw new BadInput(request.label, undefined, `has SHA-256 ${sha256}, expected ${request.sha256}`, 'hash_mismatch');
  const source = { sha256, genome: genome.source.sha256, revision: REVISION };
  const present = await readFile(`${context.storage}/${place}/${INSTALLED}`, 'utf8')
    .then((text) => JSON.parse(text) as Installed)
    .catch(() => undefined);
  const { name, kind, version } = request;
  if (present && JSON.stringify(present.source) === JSON.stringify(source)) {
    context.log.info(`${place}: already installed from the same file`);
    return { name, kind, version, path: present.path, sha256: present.sha256 };
  }
  // The pod can only write to the bundle's folder in annotation/.
  return putInPlace(`${context.storage}/${dirname(place)}`, `${context.storage}/${place}`, async (work) => {
    const file = await make(context, genome, request, work).catch((error: unknown) => {
      if (error instanceof ToolFailed)
        throw new BadInput(request.label, undefined, error.message, 'annotation_invalid');
      throw error;
    });
    const path = `${place}/${file}`;
    const hash = (await hashFile(`${work}/${file}`)).sha256;
    const installed: Installed = { schema_version: 1, name, kind, version, source, path, sha256: hash };
    await writeFile(`${work}/${INSTALLED}`, `${JSON.stringify(installed, null, 1)}\n`);
    return { name, kind, version, path, sha256: hash };
  });
}

/** Writes the files of a source to `work`. Returns the name of the main file. */
function make(
  context: CheckContext,
  genome: InstalledGenome,
  request: AnnotationRequest,
  work: string,
): Promise<string> {
  return request.kind === 'genes'
    ? makeGenes(context, genome, request, work)
    : makeSites(context, genome, request, work);
}

const reference = (context: CheckContext, genome: InstalledGenome): string =>
  `${context.storage}/${genome.dir}/${FASTA}`;

/** Installs known variants: renames contigs, splits multi-allelics, left-aligns indels, sorts, compresses and indexes. */
async function makeSites(
  context: CheckContext,
  genome: InstalledGenome,
  request: AnnotationRequest,
  work: string,
): Promise<string> {
  const { tools } = context;
  const sites = `${work}/${SITES}`;
  const running = tools.start(
    [
      { tool: 'bcftools', args: ['view', '--no-version', '-G', '-Ou', '-'] },
      // Exclude records whose REF differs from the genome. They describe another genome and cannot match an allele.
      {
        tool: 'bcftools',
        args: ['norm', '--no-version', '-m', '-any', '-c', 'x', '-f', reference(context, genome), '-Ou'],
      },
      // Exclude records without ALT (reference sites of a gVCF).
      { tool: 'bcftools', args: ['view', '--no-version', '-i', 'ALT!="."', '-Ou'] },
      { tool: 'bcftools', args: ['sort', '-T', `${context.tmp}/sort`, '-Oz', '-o', sites] },
    ],
    { stdin: true },
  );
  const feed = pipeline(
    await openText(request.file),
    (source: AsyncIterable<Buffer>) => inGenomeNames(source, genome.contigs, request.label),
    running.stdin!,
  ).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code;
    // Ignore: the exit code of the program explains why it stopped reading.
    if (code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    running.stdin!.destroy();
    throw damaged(error, request.label) ?? error;
  });
  const [fed, done] = await Promise.allSettled([feed, running.done]);
  if (fed.status === 'rejected') throw fed.reason;
  if (done.status === 'rejected') throw done.reason;
  await tools.run({ tool: 'tabix', args: ['-p', 'vcf', sites] });
  return SITES;
}

/** Installs gene models as a table of transcripts by position. The annotation step builds its database from a part of it. */
async function makeGenes(
  context: CheckContext,
  genome: InstalledGenome,
  request: AnnotationRequest,
  work: string,
): Promise<string> {
  const reader = new GeneModelReader(genome.contigs, request.label);
  try {
    for await (const line of createInterface({ input: await openText(request.file) })) reader.push(line);
  } catch (error) {
    throw damaged(error, request.label) ?? error;
  }
  const table = reader.transcripts().map((t) => `${formatTranscript(t)}\n`);
  await writeFile(`${work}/transcripts.tsv`, [`#${TRANSCRIPT_COLUMNS.join('\t')}\n`, ...table]);
  await context.tools.run({ tool: 'bgzip', args: ['-f', `${work}/transcripts.tsv`] });
  await context.tools.run({ tool: 'tabix', args: ['-s', '1', '-b', '2', '-e', '3', `${work}/${TRANSCRIPTS}`] });
  return TRANSCRIPTS;
}

/** Returns BadInput for a truncated or damaged gzip file, undefined for another error. */
function damaged(error: unknown, name: string): BadInput | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR'
    ? new BadInput(name, undefined, 'truncated or damaged gzip file. Upload it again.')
    : undefined;
}
