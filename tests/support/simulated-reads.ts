/** Simulates a sequencer's reads of amplicons with planted changes. The same seed gives the same reads. */
import { gzipSync } from 'node:zlib';

const READ_LENGTH = 120;

/** Returns a random generator of numbers from 0 to 1, reproducible by its seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The sequence of an amplicon. `start` is 0-based. */
export interface Molecule {
  chrom: string;
  start: number;
  bases: string;
}

/** A change in the share `vaf` of the fragments of each amplicon that covers it. `pos` is 1-based. */
export interface SimulatedChange {
  chrom: string;
  pos: number;
  ref: string;
  alt: string;
  vaf: number;
}

const complement = (sequence: string): string =>
  [...sequence]
    .reverse()
    .map((base) => ({ A: 'T', C: 'G', G: 'C', T: 'A' })[base] ?? 'N')
    .join('');

/**
 * Returns a pair of gzip FASTQ texts with `fragments` per amplicon. Throws when a change does not match its reference.
 */
export function simulateReads(
  amplicons: readonly Molecule[],
  options: { name: string; fragments: number; changes: readonly SimulatedChange[]; seed: number },
): { r1: Buffer; r2: Buffer } {
  const { name, fragments } = options;
  const draw = randomOf(options.seed);
  const changes = options.changes.toSorted((a, b) => b.pos - a.pos);
  const [one, two]: [string[], string[]] = [[], []];
  for (const { chrom, start, bases } of amplicons)
    for (let i = 0; i < fragments; i++) {
      let molecule = bases;
      for (const { pos, ref, alt, vaf } of changes.filter((change) => change.chrom === chrom)) {
        const at = pos - 1 - start;
        if (at < 0 || at >= bases.length || i >= vaf * fragments) continue;
        if (molecule.slice(at, at + ref.length) !== ref) throw new Error(`${chrom}:${pos} is not ${ref}`);
        molecule = molecule.slice(0, at) + alt + molecule.slice(at + ref.length);
      }
      const flipped = draw() < 0.5;
      const [first, second] = flipped ? [complement(molecule), molecule] : [molecule, complement(molecule)];
      const id = `${name}:${chrom}:${start}:${i}`;
      for (const [out, mate, sequence] of [
        [one, 1, first],
        [two, 2, second],
      ] as const) {
        const read = sequence.slice(0, READ_LENGTH);
        out.push(`@${id}/${mate}\n${read}\n+\n${'I'.repeat(read.length)}\n`);
      }
    }
  return { r1: gzipSync(one.join('')), r2: gzipSync(two.join('')) };
}
