import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { FrozenGenome } from '../runner/frozen.ts';

/** Paths of an installed reference below the storage root. */
export const fastaPath = (genome: FrozenGenome): string => {
  const fai = genome.indexes.find(({ path }) => path?.endsWith('.fai'))?.path;
  return fai ? fai.slice(0, -'.fai'.length) : `${genome.dir}/genome.fa`;
};

/** Returns the path of an aligner's index: the .mmi of minimap2, or the FASTA of bwa's index files. */
export function alignerIndex(genome: FrozenGenome, tool: 'minimap2' | 'bwa'): string {
  const path = genome.indexes.find((index) => index.tool === tool)?.path;
  if (!path) throw new Error(`the genome ${genome.value} has no index for ${tool}`);
  return tool === 'bwa' ? path.replace(/\.(bwt|amb|ann|pac|sa)$/, '') : path;
}

interface FaiEntry {
  length: number;
  offset: number;
  lineBases: number;
  lineWidth: number;
}

/** Reads bases of an indexed FASTA by region, in upper case. Regions are small: an amplicon and its surroundings. */
export class Reference {
  readonly #handle: FileHandle;
  readonly #entries: ReadonlyMap<string, FaiEntry>;

  private constructor(handle: FileHandle, entries: ReadonlyMap<string, FaiEntry>) {
    this.#handle = handle;
    this.#entries = entries;
  }

  static async open(fasta: string): Promise<Reference> {
    const text = await readFile(`${fasta}.fai`, 'utf8');
    const entries = new Map<string, FaiEntry>();
    for (const line of text.split('\n')) {
      const [name, length, offset, lineBases, lineWidth] = line.split('\t');
      if (!name) continue;
      entries.set(name, {
        length: Number(length),
        offset: Number(offset),
        lineBases: Number(lineBases),
        lineWidth: Number(lineWidth),
      });
    }
    return new Reference(await open(fasta, 'r'), entries);
  }

  /** Contigs in file order, with their lengths. */
  contigs(): { name: string; length: number }[] {
    return [...this.#entries].map(([name, { length }]) => ({ name, length }));
  }

  /** Returns the bases start..end (1-based, both included), limited to the contig. */
  async bases(contig: string, start: number, end: number): Promise<{ start: number; bases: string }> {
    const entry = this.#entries.get(contig);
    if (!entry) throw new Error(`the reference has no contig ${contig}`);
    const from = Math.max(1, start);
    const to = Math.min(entry.length, end);
    if (to < from) return { start: from, bases: '' };
    const at = (pos: number): number =>
      entry.offset + Math.floor((pos - 1) / entry.lineBases) * entry.lineWidth + ((pos - 1) % entry.lineBases);
    const bytes = Buffer.alloc(at(to) - at(from) + 1);
    await this.#handle.read(bytes, 0, bytes.length, at(from));
    return { start: from, bases: bytes.toString('latin1').replace(/\s+/g, '').toUpperCase() };
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
