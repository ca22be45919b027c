/** A tiny synthetic run: a random genome, three amplicons, reads with planted changes. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PanelFile } from '@seqpanel/crds/panel.ts';
import { importPanel } from '@seqpanel/crds/panel-import.ts';
import { installed, installGenome } from './pipeline-task.ts';
import { randomOf, type SimulatedChange, simulateReads } from './simulated-reads.ts';

const BASES = 'ACGT';

/** Position on the genome's only contig. */
export type PlantedChange = Omit<SimulatedChange, 'chrom'>;

export interface TinyRun {
  storage: string;
  genome: string;
  panel: PanelFile;
  /** Writes a pair of gzip FASTQ files with `fragments` per amplicon. Returns their paths. */
  reads(name: string, fragments: number, changes?: readonly PlantedChange[], seed?: number): { r1: string; r2: string };
  /** Returns reference bases by 1-based position. */
  bases(start: number, end: number): string;
}

/** Creates the genome `tiny` (contig c1, 3,000 bp), its indexes, and a panel of three amplicons of 160 bp. */
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
      const amplicons = starts.map((start) => ({ chrom: 'c1', start, bases: sequence.slice(start, start + 160) }));
      const planted = changes.map((change) => ({ ...change, chrom: 'c1' }));
      const reads = simulateReads(amplicons, { name, fragments, changes: planted, seed });
      const r1 = join(storage, `${name}_R1.fastq.gz`);
      const r2 = join(storage, `${name}_R2.fastq.gz`);
      writeFileSync(r1, reads.r1);
      writeFileSync(r2, reads.r2);
      return { r1, r2 };
    },
  };
}

/** Returns the PASS calls of a VCF text, as `chrom:pos ref>alt` with their frequency. */
export function passCalls(vcf: string): { allele: string; vaf: number; depth: number; filter: string }[] {
  return vcf
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [chrom, pos, , ref, alt, , filter, , format, sample] = line.split('\t') as string[];
      const keys = format!.split(':');
      const value = (key: string): number => Number(sample!.split(':')[keys.indexOf(key)]);
      return { allele: `${chrom}:${pos} ${ref}>${alt}`, vaf: value('VAF'), depth: value('DP'), filter: filter! };
    })
    .filter(({ filter }) => filter === 'PASS');
}
