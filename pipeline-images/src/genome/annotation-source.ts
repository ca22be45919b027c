/** Installs an annotation source of a genome below annotation/<genome>.<name>/<version>/, in the genome's contig names. */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { annotationBundle, annotationDir } from '@seqpanel/crds/storage.ts';
import { BadInput } from '../step/bad-input.ts';
import type { CheckContext } from '../step/definition.ts';
import { hashFile } from '../step/files.ts';
import type { FrozenAnnotation } from '../step/frozen.ts';
import { ToolFailed } from '../tools/tools.ts';
import { openText } from './fasta.ts';
import { formatTranscript, parseGff3, TRANSCRIPT_COLUMNS, toGff3 } from './gene-models.ts';
import { putInPlace } from './put-in-place.ts';
import { FASTA, type InstalledGenome } from './reference.ts';
import { inGenomeNames } from './vcf-contigs.ts';

/** Raised when the same source would give other files. */
const REVISION = 1;
export const INSTALLED = 'installed.json';
export const SITES = 'sites.vcf.gz';
export const TRANSCRIPTS = 'transcripts.tsv.gz';
export const SNPEFF_CONFIG = 'snpEff.config';
/** Name of the genome inside its snpEff database. */
export const SNPEFF_GENOME = 'genome';

export interface AnnotationRequest {
  name: string;
  kind: string;
  version: string;
  file: string;
  /** For messages. */
  label: string;
  sha256?: string;
}

interface Installed {
  schema_version: 1;
  name: string;
  kind: string;
  version: string;
  /** Hash of the source file, of the genome it was made for, and the way it was made. */
  source: { sha256: string; genome: string; revision: number };
  path: string;
  sha256: string;
}

/** Installs one source, or takes what is there when it was made of the same file for the same genome. */
export async function installAnnotation(
  context: CheckContext,
  genome: InstalledGenome,
  request: AnnotationRequest,
): Promise<FrozenAnnotation['sources'][number]> {
  const place = annotationDir(annotationBundle(genome.value, request.name), request.version);
  const { sha256 } = await hashFile(request.file);
  if (request.sha256 !== undefined && request.sha256 !== sha256)
    throw new BadInput(request.label, undefined, `has the SHA-256 ${sha256}, not ${request.sha256}`, 'hash_mismatch');
  const source = { sha256, genome: genome.source.sha256, revision: REVISION };
  const present = await readFile(`${context.storage}/${place}/${INSTALLED}`, 'utf8')
    .then((text) => JSON.parse(text) as Installed)
    .catch(() => undefined);
  const { name, kind, version } = request;
  if (present && JSON.stringify(present.source) === JSON.stringify(source)) {
    context.log.info(`${place}: installed before from the same file`);
    return { name, kind, version, path: present.path, sha256: present.sha256 };
  }
  return putInPlace(`${context.storage}/annotation`, `${context.storage}/${place}`, async (work) => {
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

/** Writes the files of a source into `work`; gives the name of the one that stands for it. */
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

/** Known variants: contigs renamed, multi-allelics split, indels left-aligned, sorted, bgzip and tabix. */
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
      // A record whose REF is not the genome's base describes another genome; it could match no allele.
      {
        tool: 'bcftools',
        args: ['norm', '--no-version', '-m', '-any', '-c', 'x', '-f', reference(context, genome), '-Ou'],
      },
      // A record without ALT (a reference site of a gVCF) names no allele.
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
    // A tool that has ended says itself why.
    if (code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    running.stdin!.destroy();
    if (code === 'Z_BUF_ERROR' || code === 'Z_DATA_ERROR')
      throw new BadInput(request.label, undefined, 'is not a whole gzip file: it is cut or damaged');
    throw error;
  });
  const [fed, done] = await Promise.allSettled([feed, running.done]);
  if (fed.status === 'rejected') throw fed.reason;
  if (done.status === 'rejected') throw done.reason;
  await tools.run({ tool: 'tabix', args: ['-p', 'vcf', sites] });
  return SITES;
}

/** Gene models: a table of transcripts by place, and a snpEff database that needs no network. */
async function makeGenes(
  context: CheckContext,
  genome: InstalledGenome,
  request: AnnotationRequest,
  work: string,
): Promise<string> {
  const { tools } = context;
  const bytes = await readFile(request.file);
  const gzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const transcripts = parseGff3((gzip ? gunzipSync(bytes) : bytes).toString(), genome.contigs, request.label);
  const table = transcripts.map((t) => `${formatTranscript(t)}\n`).join('');
  await writeFile(`${work}/transcripts.tsv`, `#${TRANSCRIPT_COLUMNS.join('\t')}\n${table}`);
  await tools.run({ tool: 'bgzip', args: ['-f', `${work}/transcripts.tsv`] });
  await tools.run({ tool: 'tabix', args: ['-s', '1', '-b', '2', '-e', '3', `${work}/${TRANSCRIPTS}`] });
  const data = `${work}/data/${SNPEFF_GENOME}`;
  await mkdir(data, { recursive: true });
  await writeFile(`${data}/genes.gff`, toGff3(transcripts));
  await writeFile(`${work}/${SNPEFF_CONFIG}`, snpEffConfig(genome));
  const used = [...new Set(transcripts.map((t) => t.chrom))];
  await tools.run({
    tool: 'samtools',
    args: ['faidx', reference(context, genome), ...used],
    stdout: `${data}/sequences.fa`,
  });
  await tools.run({
    tool: 'snpEff',
    args: [
      '-Xms64m',
      `-Xmx${Math.max(768, context.memoryMiB - 256)}m`,
      'build',
      '-gff3',
      '-nodownload',
      '-noLog',
      '-noCheckCds',
      '-noCheckProtein',
      '-c',
      `${work}/${SNPEFF_CONFIG}`,
      SNPEFF_GENOME,
    ],
  });
  await rm(`${data}/sequences.fa`);
  await rm(`${data}/genes.gff`);
  return TRANSCRIPTS;
}

/** `./data` is below the config's own folder, so the database may be renamed into place after it was built. */
function snpEffConfig(genome: InstalledGenome): string {
  const mitochondria = genome.contigs.filter((c) => c.canonical === 'MT' || /^(chr)?MT?$/i.test(c.name));
  const tables = [...new Set(mitochondria.flatMap((c) => [c.name, c.name.replace(/^chr/, '')]))].map(
    (name) => `${SNPEFF_GENOME}.${name}.codonTable : Vertebrate_Mitochondrial\n`,
  );
  return `data.dir = ./data/\n${SNPEFF_GENOME}.genome : ${genome.value}\n${tables.join('')}${CODON_TABLE}`;
}

/** NCBI's translation table 2; snpEff knows tables only from its configuration. `+` marks start codons, `*` stops. */
const CODON_TABLE = `codon.Vertebrate_Mitochondrial: ${vertebrateMitochondrial()}\n`;

function vertebrateMitochondrial(): string {
  const acids = 'FFLLSSSSYY**CCWWLLLLPPPPHHQQRRRRIIMMTTTTNNKKSS**VVVVAAAADDEEGGGG';
  const starts = new Set(['ATT', 'ATC', 'ATA', 'ATG', 'GTG']);
  const bases = 'TCAG';
  return [...acids]
    .map((acid, i) => {
      const codon = `${bases[i >> 4]}${bases[(i >> 2) & 3]}${bases[i & 3]}`;
      return `${codon}/${acid}${starts.has(codon) ? '+' : ''}`;
    })
    .join(', ');
}
