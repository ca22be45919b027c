import { open, stat } from 'node:fs/promises';
import { canonicalName, matchContig } from '@seqpanel/crds/contigs.ts';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { BadInput } from '../step/bad-input.ts';
import { hashFile } from '../step/files.ts';
import type { FrozenGenome, SampleFile } from '../step/frozen.ts';
import { ToolFailed, type Tools } from '../tools/tools.ts';

/** A BAM's contig as its header has it. */
export interface BamContig {
  name: string;
  length: number;
  md5?: string;
}

/** How a BAM's contigs are called in the genome, and the BAM's own names of those that the panel uses. */
export interface ContigMap {
  /** Genome's name by BAM's name, only where they differ. */
  rename: Map<string, string>;
  /** BAM's name by genome's name, for the contigs of the panel. */
  used: Map<string, string>;
  /** Contigs of the BAM that are another sequence than the genome's of that name; their reads are left out. */
  foreign: string[];
}

/** @SQ lines of a SAM header. */
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
 * Matches the BAM's contigs with the genome's by length and md5, else by alias; only those that the panel uses must
 * match. BadInput names the contig that makes it a BAM of another genome.
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

/** The file's header; BadInput when it is no whole BAM. */
export async function readHeader(tools: Tools, storage: string, file: SampleFile): Promise<string> {
  const path = `${storage}/${file.path}`;
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BadInput(file.name, undefined, 'is no longer there', 'file_missing');
    throw error;
  });
  if (found.size === 0) throw new BadInput(file.name, undefined, 'is empty (0 bytes)', 'file_empty');
  if (!(await endsWithEof(path, found.size)))
    throw new BadInput(file.name, undefined, 'is cut off: the end-of-file block is missing', 'bam_cut');
  const header = await tools
    .capture({ tool: 'samtools', args: ['view', '-H', '--no-PG', path] })
    .catch((error: unknown) => {
      if (error instanceof ToolFailed) throw new BadInput(file.name, undefined, 'is not a BAM file', 'bam_broken');
      throw error;
    });
  return header.toString();
}

/** BadInput when the file's bytes are not those that were launched. */
export async function checkUnchanged(storage: string, file: SampleFile): Promise<void> {
  if (file.sha256 === undefined) return;
  const { sha256 } = await hashFile(`${storage}/${file.path}`);
  if (sha256 !== file.sha256)
    throw new BadInput(file.name, undefined, 'has changed since the task was launched', 'file_changed');
}

/** The empty block that ends every whole BGZF file (SAM specification, 4.1.2). */
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

/** BED of the panel's amplicons in the BAM's own contig names, merged by samtools itself. */
export const regionsBed = (panel: Pick<PanelFile, 'amplicons'>, used: ReadonlyMap<string, string>): string =>
  panel.amplicons.map(({ chrom, start, end }) => `${used.get(chrom) ?? chrom}\t${start - 1}\t${end}\n`).join('');
