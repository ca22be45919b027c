/**
 * Contig names of two sources made comparable (DESIGN 6): by length and md5 when both are known, else by alias (`17`
 * and `chr17`). The mitochondrion is compared by sequence, never by name: hg19's chrM is another sequence than MT.
 */

import { chromosomeOf } from './refseq-contigs.ts';

export interface Contig {
  name: string;
  length?: number;
  /** MD5 of the upper-cased sequence without line ends, as the M5 tag of a SAM header has it. */
  md5?: string;
  canonical?: string;
  aliases?: string[];
}

/** Mitochondrial sequences known by their M5. */
const MITOCHONDRIA: Readonly<Record<string, { canonical: string; aliases: string[] }>> = {
  // NC_012920.1 (rCRS), 16,569 bp, in GRCh37/b37 as MT and in GRCh38 as chrM.
  c68f52674c9fb33aef52dcf399755519: { canonical: 'MT', aliases: ['MT', 'chrM', 'M', 'chrMT'] },
  // NC_001807.4 (Yoruba), 16,571 bp, hg19's chrM.
  d2ed829b8a1628d16cbeee88e88e39eb: { canonical: 'NC_001807', aliases: ['chrM', 'M'] },
};

const isMitochondrial = (name: string): boolean => /^(chr)?(M|MT)$/i.test(name);

/** The name a contig has in keys and comparisons: `17` for `chr17`; a name that is no human chromosome stays. */
export function canonicalName(name: string, md5?: string): string {
  if (isMitochondrial(name)) return (md5 && MITOCHONDRIA[md5]?.canonical) || name;
  const m = /^chr(\d{1,2}|X|Y)$/.exec(name);
  return m ? m[1]! : name;
}

/** The other names by which files may call a contig. */
export function aliasesOf(name: string, md5?: string): string[] {
  const known = isMitochondrial(name) ? (md5 ? (MITOCHONDRIA[md5]?.aliases ?? []) : []) : undefined;
  if (known) return known.filter((alias) => alias !== name);
  const bare = canonicalName(name);
  if (!/^(\d{1,2}|X|Y)$/.test(bare)) return [];
  return [bare, `chr${bare}`].filter((alias) => alias !== name);
}

/**
 * The genome's contig that another file's contig stands for, or undefined. Equal md5 decides alone; md5s or lengths
 * that differ refuse a contig whose name matches.
 */
export function matchContig<C extends Contig>(genome: readonly C[], other: Contig): C | undefined {
  if (other.md5) {
    const bySequence = genome.find((c) => c.md5 === other.md5);
    if (bySequence) return bySequence;
  }
  const chromosome = chromosomeOf(other.name);
  if (chromosome) {
    const found = matchContig(genome, { name: chromosome.name });
    // A partial reference may be shorter than the chromosome; one as long as that of the other build is the other build.
    const length = found?.length;
    return length === undefined || (length <= chromosome.length && length !== chromosome.otherLength)
      ? found
      : undefined;
  }
  return genome.find((c) => {
    const named = c.name === other.name || (c.aliases ?? aliasesOf(c.name, c.md5)).includes(other.name);
    if (!named) return false;
    if (c.md5 && other.md5) return false;
    return c.length === undefined || other.length === undefined || c.length === other.length;
  });
}
