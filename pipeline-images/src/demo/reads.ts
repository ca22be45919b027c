/** Paired 2 x 150 reads of a sample's amplicons, with Illumina-like qualities and errors. */

import { gzipSync } from 'node:zlib';
import type { Amplicon } from '@seqpanel/crds/panel.ts';
import { reverseComplement } from './bases.ts';
import type { DemoGenome } from './genome.ts';
import type { Random } from './random.ts';
import type { Variant } from './variants.ts';

const READ_LENGTH = 150;
/** Quality profiles: a usual one, and some with a worse end. ASCII = Phred + 33. */
const PROFILES = [0, 0, 0, 20, 45].map((worse) =>
  Array.from({ length: READ_LENGTH }, (_, i) => {
    const tail = Math.max(0, i - (READ_LENGTH - worse)) / Math.max(1, worse);
    return Math.round((i < 3 ? 33 : 37) - tail * 20 - (i > 110 ? 2 : 0));
  }),
);
const PROFILE_TEXT = PROFILES.map((profile) => String.fromCharCode(...profile.map((q) => q + 33)));
const BASES = 'ACGT';

/** A variant in a sample: its share of fragments, and its haplotype when inherited. */
export interface Planted {
  variant: Variant;
  vaf: number;
  /** 0 or 1: that haplotype; 'both': homozygous; 'some': in a share of the cells. */
  haplotype: 0 | 1 | 'both' | 'some';
}

/** Returns the fragment of an amplicon with the chosen variants. Primers are synthesized and never changed. */
function fragmentOf(amplicon: Amplicon, contig: string, variants: readonly Variant[]): string {
  let text = contig.slice(amplicon.start - 1, amplicon.end);
  // From right to left, so that earlier offsets stay valid.
  for (const v of variants.toSorted((a, b) => b.pos - a.pos)) {
    const at = v.pos - amplicon.start;
    text = text.slice(0, at) + v.alt + text.slice(at + v.ref.length);
  }
  return text;
}

function withErrors(random: Random, read: string, profile: readonly number[]): string {
  // Errors are rare: draw the next one at the worst rate of the profile, then keep it by its own rate.
  const worst = 10 ** (-Math.min(...profile.slice(0, read.length)) / 10);
  let text = read;
  for (let i = Math.floor(Math.log(1 - random.next()) / Math.log(1 - worst)); i < read.length; ) {
    if (random.next() * worst < 10 ** (-profile[i]! / 10))
      text = `${text.slice(0, i)}${BASES[(BASES.indexOf(text[i]!) + 1 + random.below(3)) % 4]}${text.slice(i + 1)}`;
    i += 1 + Math.floor(Math.log(1 - random.next()) / Math.log(1 - worst));
  }
  return text;
}

export interface Library {
  /** Mean number of fragments per amplicon. */
  depth: number;
  planted: readonly Planted[];
  /** Prefix of the read names. */
  flowcell: string;
}

/** Returns R1 and R2 as gzip FASTQ. Fragments start on either strand and amplicons are mixed. */
export function makeReads(
  random: Random,
  genome: DemoGenome,
  amplicons: readonly Amplicon[],
  library: Library,
): { r1: Buffer; r2: Buffer; fragments: number } {
  const contigs = new Map(genome.contigs.map((c) => [c.name, c.bases]));
  const pool: { amplicon: Amplicon; inside: Planted[]; cache: Map<string, [string, string]> }[] = [];
  for (const amplicon of amplicons) {
    const { insert, chrom } = amplicon;
    const inside = library.planted.filter(
      ({ variant: v }) => v.chrom === chrom && v.pos >= insert.start && v.pos + v.ref.length - 1 <= insert.end,
    );
    const n = Math.max(20, Math.round(library.depth * (1 + 0.22 * random.normal())));
    const entry = { amplicon, inside, cache: new Map<string, [string, string]>() };
    for (let i = 0; i < (library.depth === 0 ? 0 : n); i++) pool.push(entry);
  }
  for (let i = pool.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [pool[i], pool[j]] = [pool[j]!, pool[i]!];
  }
  const [one, two]: [string[], string[]] = [[], []];
  pool.forEach(({ amplicon, inside, cache }, number) => {
    const side = random.below(2);
    const carried = inside.filter(({ haplotype, vaf }) =>
      haplotype === 'both' ? true : haplotype === 'some' ? random.next() < vaf : haplotype === side,
    );
    const key = carried.map(({ variant }) => `${variant.pos}${variant.alt}`).join();
    let strands = cache.get(key);
    if (!strands) {
      const text = fragmentOf(
        amplicon,
        contigs.get(amplicon.chrom)!,
        carried.map((c) => c.variant),
      );
      strands = [text, reverseComplement(text)];
      cache.set(key, strands);
    }
    const [first, second] = random.below(2) === 0 ? strands : [strands[1], strands[0]];
    const name = `@SYN:1:${library.flowcell}:1:${1101 + Math.floor(number / 20_000)}:${1000 + (number % 20_000)}:${number}`;
    for (const [out, source, mate] of [
      [one, first, 1],
      [two, second, 2],
    ] as const) {
      const p = random.below(PROFILES.length);
      const bases = withErrors(random, source.slice(0, READ_LENGTH), PROFILES[p]!);
      out.push(`${name} ${mate}:N:0:1\n${bases}\n+\n${PROFILE_TEXT[p]!.slice(0, bases.length)}\n`);
    }
  });
  const pack = (lines: string[]): Buffer => gzipSync(lines.join(''), { level: 4 });
  return { r1: pack(one), r2: pack(two), fragments: pool.length };
}
