/** Transcripts of a genome. Positions are 1-based, both ends included. */

export interface Part {
  start: number;
  end: number;
  /** CDS only: number of bases to skip before the first complete codon. */
  phase?: number;
}

export interface Transcript {
  /** Accession, with its version if the file has one. */
  id: string;
  gene: string;
  /** Contig name in the genome. */
  chrom: string;
  start: number;
  end: number;
  strand: '+' | '-';
  biotype: string;
  mane: boolean;
  /** Sorted by position. */
  exons: Part[];
  cds: Part[];
}

/** Returns the number of coding bases. */
export const cdsLength = (transcript: Pick<Transcript, 'cds'>): number =>
  transcript.cds.reduce((sum, part) => sum + part.end - part.start + 1, 0);
