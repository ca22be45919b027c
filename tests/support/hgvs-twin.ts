/**
 * A synthetic genome with parts of real proteins at their real codon numbers and on their real strands: BRAF
 * around V600, EGFR around L747, BRCA2 around S1982, TP53 around R175. The rest of the genes is filler.
 */

/** Coding bases of each gene from its first codon on, and the seed of its filler. */
const GENES = {
  BRAF: {
    chrom: 'twin1',
    strand: '-',
    codon: 593,
    seed: 7,
    bases: 'GGTGATTTTGGTCTAGCTACAGTGAAATCTCGATGGAGTGGGTCCCATCAGTTTGAA',
  },
  EGFR: {
    chrom: 'twin2',
    strand: '+',
    codon: 739,
    seed: 11,
    bases: 'AAAATTCCCGTCGCTATCAAGGAATTAAGAGAAGCAACATCTCCGAAAGCCAACAAGGAAATC',
  },
  BRCA2: {
    chrom: 'twin3',
    strand: '+',
    codon: 1975,
    seed: 13,
    bases: 'TGTGGGATTTTTAGCACAGCAAGTGGAAAATCTGTCCAGGTATCAGATGCTTCATTACAAAACGCAAGACAAGTGTTTTCTGAAATAGAAGATAGTACC',
  },
  TP53: {
    chrom: 'twin4',
    strand: '-',
    codon: 164,
    seed: 17,
    bases: 'AAGCAGTCACAGCACATGACGGAGGTTGTGAGGCGCTGCCCCCACCATGAGCGCTGCTCAGATAGCGAT',
  },
} as const;
export type TwinGene = keyof typeof GENES;

const CONTIG_LENGTH = 12_000;
const FIRST = 2_001;
/** Number of the gene's bases before its only intron, and the intron's length. */
const SPLIT = 601;
const INTRON = 400;

const COMPLEMENT: Record<string, string> = { A: 'T', C: 'G', G: 'C', T: 'A' };
const reverse = (bases: string): string =>
  [...bases]
    .reverse()
    .map((b) => COMPLEMENT[b]!)
    .join('');

/** Returns bases without short repeats, so that indels have only one position. */
function filler(length: number, seed: number): string {
  let state = seed;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const codon = [24, 26, 28].map((shift) => 'ACGT'[(state >>> shift) & 3]).join('');
    if (!['TAA', 'TAG', 'TGA'].includes(codon)) text += codon;
  }
  return text.slice(0, length);
}

function gene(stretch: string, firstCodon: number, seed: number): { sense: string; coding: string } {
  const coding = `ATG${filler(3 * (firstCodon - 2), seed)}${stretch}${filler(60, seed + 1)}TAA`;
  const intron = `GT${filler(INTRON - 4, seed + 2)}AG`;
  return { coding, sense: coding.slice(0, SPLIT) + intron + coding.slice(SPLIT) };
}

export interface Twin {
  fasta: string;
  gff: string;
  contigs: { name: string; gene: TwinGene; bases: string }[];
  /** Returns the 1-based position on the contig of a base of the coding sequence. */
  at(gene: TwinGene, coding: number): number;
}

/** Returns the genome, its gene models, and a function for the position of a coding base. */
export function makeTwin(): Twin {
  const names = Object.keys(GENES) as TwinGene[];
  const made = Object.fromEntries(
    names.map((name) => [name, gene(GENES[name].bases, GENES[name].codon, GENES[name].seed)]),
  ) as Record<TwinGene, ReturnType<typeof gene>>;
  const contigs = names.map((name, i) => {
    const { chrom, strand } = GENES[name];
    const bases = strand === '-' ? reverse(made[name].sense) : made[name].sense;
    const seed = 21 + 10 * i;
    return {
      name: chrom,
      gene: name,
      bases: filler(FIRST - 1, seed) + bases + filler(CONTIG_LENGTH - FIRST + 1 - bases.length, seed + 1),
    };
  });
  const senseOffset = (coding: number): number => coding - 1 + (coding > SPLIT ? INTRON : 0);
  const at: Twin['at'] = (name, coding) =>
    GENES[name].strand === '+'
      ? FIRST + senseOffset(coding)
      : FIRST + made[name].sense.length - 1 - senseOffset(coding);
  const lines = ['##gff-version 3'];
  for (const name of names) {
    const { chrom, strand } = GENES[name];
    const row = (type: string, a: number, b: number, phase: string, attributes: string): void => {
      lines.push([chrom, 'twin', type, Math.min(a, b), Math.max(a, b), '.', strand, phase, attributes].join('\t'));
    };
    const last = made[name].coding.length;
    row('gene', at(name, 1), at(name, last), '.', `ID=gene:${name};Name=${name};biotype=protein_coding`);
    row(
      'mRNA',
      at(name, 1),
      at(name, last),
      '.',
      `ID=transcript:TWIN_${name}.1;Parent=gene:${name};biotype=protein_coding`,
    );
    for (const [from, to] of [
      [1, SPLIT],
      [SPLIT + 1, last],
    ] as const) {
      row('exon', at(name, from), at(name, to), '.', `Parent=transcript:TWIN_${name}.1`);
      row(
        'CDS',
        at(name, from),
        at(name, to),
        `${(3 - ((from - 1) % 3)) % 3}`,
        `ID=CDS:${name};Parent=transcript:TWIN_${name}.1`,
      );
    }
  }
  return {
    contigs,
    fasta: contigs.map(({ name, bases }) => `>${name}\n${bases.replace(/.{1,70}/g, '$&\n')}`).join(''),
    gff: `${lines.join('\n')}\n`,
    at,
  };
}
