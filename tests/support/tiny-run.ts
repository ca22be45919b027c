/** A tiny synthetic run: a random genome, three amplicons, reads with planted changes. No data but what is made here. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { importPanel } from '@seqpanel/crds/panel-import.ts';
import { installed, installGenome } from './pipeline-task.ts';

const READ_LENGTH = 120;
const BASES = 'ACGT';

/** A generator of numbers from 0 to 1 that gives the same ones for a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export interface PlantedChange {
  pos: number;
  ref: string;
  alt: string;
  vaf: number;
}

export interface TinyRun {
  storage: string;
  genome: string;
  panel: PanelFile;
  /** Writes a pair of gzip FASTQ files with `fragments` a amplicon and gives their paths. */
  reads(name: string, fragments: number, changes?: readonly PlantedChange[], seed?: number): { r1: string; r2: string };
  /** Reference bases, 1-based. */
  bases(start: number, end: number): string;
}

const complement = (sequence: string): string =>
  [...sequence]
    .reverse()
    .map((base) => ({ A: 'T', C: 'G', G: 'C', T: 'A' })[base] ?? 'N')
    .join('');

/** Makes the genome `tiny` (contig c1, 3,000 bp), its indexes, and a panel of three amplicons of 160 bp. */
export async function makeTinyRun(): Promise<TinyRun> {
  const storage = mkdtempSync(join(tmpdir(), 'seqpanel-tiny-'));
  const random = randomOf(11);
  const sequence = Array.from({ length: 3000 }, () => BASES[Math.floor(random() * 4)]!).join('');
  const fasta = join(storage, 'tiny.fa');
  writeFileSync(fasta, `>c1\n${sequence.replace(/(.{60})/g, '$1\n')}\n`);
  await installGenome(storage, 'tiny', fasta);
  const starts = [400, 1000, 1600];
  const bed = starts.map((start, i) => `c1\t${start}\t${start + 160}\tGENE${i + 1}_1\n`).join('');
  const insertBed = starts.map((start, i) => `c1\t${start + 20}\t${start + 140}\tGENE${i + 1}_1\n`).join('');
  const { panel, problems } = importPanel(
    { bed, insertBed },
    { value: 'tiny', displayName: 'Tiny', genome: installed(storage, 'tiny') },
  );
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return {
    storage,
    genome: 'tiny',
    panel,
    bases: (start, end) => sequence.slice(start - 1, end),
    reads(name, fragments, changes = [], seed = 5) {
      const draw = randomOf(seed);
      const [one, two]: [string[], string[]] = [[], []];
      for (const start of starts)
        for (let i = 0; i < fragments; i++) {
          let molecule = sequence.slice(start, start + 160);
          for (const { pos, ref, alt, vaf } of changes.toSorted((a, b) => b.pos - a.pos)) {
            const at = pos - 1 - start;
            if (at < 0 || at >= 160 || i >= vaf * fragments) continue;
            if (molecule.slice(at, at + ref.length) !== ref) throw new Error(`${pos} is not ${ref}`);
            molecule = molecule.slice(0, at) + alt + molecule.slice(at + ref.length);
          }
          const flipped = draw() < 0.5;
          const [first, second] = flipped ? [complement(molecule), molecule] : [molecule, complement(molecule)];
          const quality = 'I'.repeat(READ_LENGTH);
          const id = `${name}:${start}:${i}`;
          one.push(`@${id}/1\n${first.slice(0, READ_LENGTH)}\n+\n${quality}\n`);
          two.push(`@${id}/2\n${second.slice(0, READ_LENGTH)}\n+\n${quality}\n`);
        }
      const r1 = join(storage, `${name}_R1.fastq.gz`);
      const r2 = join(storage, `${name}_R2.fastq.gz`);
      writeFileSync(r1, gzipSync(one.join('')));
      writeFileSync(r2, gzipSync(two.join('')));
      return { r1, r2 };
    },
  };
}

/** PASS calls of a VCF text, as `chrom:pos ref>alt` with their frequency. */
export function passCalls(vcf: string): { allele: string; vaf: number; depth: number; filter: string }[] {
  return vcfCalls(vcf).filter(({ filter }) => filter === 'PASS');
}

/** All calls of a VCF text. */
export function vcfCalls(
  vcf: string,
): { allele: string; vaf: number; depth: number; filter: string; atoms: string[] }[] {
  return vcf
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [chrom, pos, , ref, alt, , filter, info, format, sample] = line.split('\t') as string[];
      const keys = format!.split(':');
      const value = (key: string): number => Number(sample!.split(':')[keys.indexOf(key)]);
      const atoms = /ATOMS=([^;]*)/.exec(info!)?.[1]?.split(',') ?? [];
      return {
        allele: `${chrom}:${pos} ${ref}>${alt}`,
        vaf: value('VAF'),
        depth: value('DP'),
        filter: filter!,
        atoms: atoms.map((atom) => `${chrom}:${atom.replace(':', ' ')}`),
      };
    });
}
