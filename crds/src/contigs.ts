/**
 * Matches contig names of two sources by length and md5 when both are known, otherwise by alias (`17` and `chr17`). The
 * mitochondrion is matched by sequence, never by name, because hg19's chrM is another sequence than MT.
 */

import { chromosomeOf } from './refseq-contigs.ts';

export interface Contig {
  name: string;
  length?: number;
  /** MD5 of the upper-case sequence without line ends, as in the M5 tag of a SAM header. */
  md5?: string;
  canonical?: string;
  aliases?: string[];
}

/** M5 of known mitochondrial sequences. */
const MITOCHONDRIA: Readonly<Record<string, { canonical: string; aliases: string[] }>> = {
  // NC_012920.1 (rCRS), 16,569 bp, in GRCh37/b37 as MT and in GRCh38 as chrM.
  c68f52674c9fb33aef52dcf399755519: { canonical: 'MT', aliases: ['MT', 'chrM', 'M', 'chrMT'] },
  // NC_001807.4 (Yoruba), 16,571 bp, hg19's chrM.
  d2ed829b8a1628d16cbeee88e88e39eb: { canonical: 'NC_001807', aliases: ['chrM', 'M'] },
};

const isMitochondrial = (name: string): boolean => /^(chr)?(M|MT)$/i.test(name);

/** Returns the contig name for keys and comparisons: `17` for `chr17`. Names of other contigs are unchanged. */
export function canonicalName(name: string, md5?: string): string {
  if (isMitochondrial(name)) return (md5 && MITOCHONDRIA[md5]?.canonical) || name;
  const m = /^chr(\d{1,2}|X|Y)$/.exec(name);
  return m ? m[1]! : name;
}

/** Returns the other names that files may use for a contig. */
export function aliasesOf(name: string, md5?: string): string[] {
  const known = isMitochondrial(name) ? (md5 ? (MITOCHONDRIA[md5]?.aliases ?? []) : []) : undefined;
  if (known) return known.filter((alias) => alias !== name);
  const bare = canonicalName(name);
  if (!/^(\d{1,2}|X|Y)$/.test(bare)) return [];
  return [bare, `chr${bare}`].filter((alias) => alias !== name);
}

/**
 * Returns the genome's contig that matches another file's contig, or undefined. Equal md5 is enough. A contig with the
 * same name but another md5 or length does not match.
 */
export function matchContig<C extends Contig>(genome: readonly C[], other: Contig): C | undefined {
  if (other.md5) {
    const bySequence = genome.find((c) => c.md5 === other.md5);
    if (bySequence) return bySequence;
  }
  const chromosome = chromosomeOf(other.name);
  if (chromosome) {
    const found = matchContig(genome, { name: chromosome.name });
    // A partial reference may be shorter than the chromosome, but a contig as long as in the other build is from that build.
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
