import { open, stat } from 'node:fs/promises';
import { canonicalName, matchContig } from '@seqpanel/crds/contigs.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { BadInput } from '../runner/bad-input.ts';
import { hashFile } from '../runner/files.ts';
import type { FrozenGenome, SampleFile } from '../runner/frozen.ts';
import { ToolFailed } from '../tools/tool-errors.ts';
import type { Tools } from '../tools/tools.ts';

/** A contig of a BAM header. */
export interface BamContig {
  name: string;
  length: number;
  md5?: string;
}

/** Maps contig names between a BAM and the genome. */
export interface ContigMap {
  /** Genome name by BAM name, only where they differ. */
  rename: Map<string, string>;
  /** BAM name by genome name, for contigs that the panel uses. */
  used: Map<string, string>;
  /** Contigs of the BAM that are not in the genome. Their reads are dropped. */
  foreign: string[];
}

/** Parses the @SQ lines of a SAM header. */
export function parseSequences(header: string): BamContig[] {
  return header
    .split('\n')
    .filter((line) => line.startsWith('@SQ\t'))
    .map((line) => {
      const tag = (key: string): string | undefined => new RegExp(`\t${key}:([^\t]*)`).exec(line)?.[1];
      return { name: tag('SN') ?? '', length: Number(tag('LN')), md5: tag('M5')?.toLowerCase() };
    });
}

/**
 * Matches the BAM's contigs with the genome's by length and md5, otherwise by alias. Only contigs that the panel uses
 * must match. Throws BadInput that names the first contig that does not.
 */
export function mapContigs(
  file: string,
  bam: readonly BamContig[],
  genome: FrozenGenome,
  panel: Pick<PanelFile, 'amplicons'>,
): ContigMap {
  const needed = new Set(panel.amplicons.map(({ chrom }) => chrom));
  const rename = new Map<string, string>();
  const used = new Map<string, string>();
  const foreign: string[] = [];
  for (const contig of bam) {
    const match = matchContig(genome.contigs, contig);
    if (!match) {
      foreign.push(contig.name);
      continue;
    }
    if (match.name !== contig.name) rename.set(contig.name, match.name);
    if (needed.has(match.name)) used.set(match.name, contig.name);
  }
  for (const name of needed) {
    if (used.has(name)) continue;
    const own = genome.contigs.find((contig) => contig.name === name);
    const other = bam.find((contig) => canonicalName(contig.name) === canonicalName(name));
    const found = other ? `${other.name} has ${other.length} bp` : `it has no contig ${name}`;
    throw new BadInput(
      file,
      undefined,
      `is aligned to another genome: ${found}; ${genome.value} has ${name} with ${own?.length ?? 0} bp` +
        (other && own && other.length === own.length ? ' and another sequence' : ''),
      'other_genome',
    );
  }
  return { rename, used, foreign };
}

/** Returns the header of a BAM. Throws BadInput when the file is missing, empty, truncated or not a BAM. */
export async function readHeader(tools: Tools, storage: string, file: SampleFile): Promise<string> {
  const path = `${storage}/${file.path}`;
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new BadInput(file.name, undefined, 'file not found. Upload it again.', 'file_missing');
    throw error;
  });
  if (found.size === 0)
    throw new BadInput(file.name, undefined, 'empty file (0 bytes). Upload it again.', 'file_empty');
  if (!(await endsWithEof(path, found.size)))
    throw new BadInput(file.name, undefined, 'truncated BAM file: no end-of-file block. Upload it again.', 'bam_cut');
  const header = await tools
    .capture({ tool: 'samtools', args: ['view', '-H', '--no-PG', path] })
    .catch((error: unknown) => {
      if (error instanceof ToolFailed)
        throw new BadInput(file.name, undefined, 'not a BAM file. Upload a BAM file.', 'bam_broken');
      throw error;
    });
  return header.toString();
}

/** Throws BadInput when the file has changed since launch. */
export async function checkUnchanged(storage: string, file: SampleFile): Promise<void> {
  if (file.sha256 === undefined) return;
  const { sha256 } = await hashFile(`${storage}/${file.path}`);
  if (sha256 !== file.sha256)
    throw new BadInput(
      file.name,
      undefined,
      'has changed since the task was launched. Launch it again.',
      'file_changed',
    );
}

/** The empty block that ends every complete BGZF file (SAM specification, 4.1.2). */
const EOF_BLOCK = Buffer.from('1f8b08040000000000ff0600424302001b0003000000000000000000', 'hex');

async function endsWithEof(path: string, size: number): Promise<boolean> {
  if (size < EOF_BLOCK.length) return false;
  const handle = await open(path, 'r');
  try {
    const tail = Buffer.alloc(EOF_BLOCK.length);
    await handle.read(tail, 0, tail.length, size - tail.length);
    return tail.equals(EOF_BLOCK);
  } finally {
    await handle.close();
  }
}

/** Returns the panel's amplicons as BED, with the BAM's contig names. samtools merges overlaps. */
export const regionsBed = (panel: Pick<PanelFile, 'amplicons'>, used: ReadonlyMap<string, string>): string =>
  panel.amplicons.map(({ chrom, start, end }) => `${used.get(chrom) ?? chrom}\t${start - 1}\t${end}\n`).join('');
