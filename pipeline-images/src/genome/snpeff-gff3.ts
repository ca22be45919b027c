import type { Transcript } from './transcript.ts';

/** Writes the transcripts as a plain GFF3 with accessions as IDs, which snpEff then reports. */
export function toGff3(transcripts: readonly Transcript[]): string {
  const lines = ['##gff-version 3'];
  // snpEff treats a symbol on two contigs as two genes.
  const genes = Map.groupBy(transcripts, (t) => `${t.gene}\t${t.chrom}\t${t.strand}`);
  let n = 0;
  for (const [key, own] of genes) {
    const [gene, chrom, strand] = key.split('\t');
    const id = `gene${++n}`;
    const row = (type: string, start: number, end: number, phase: string, attributes: string): void => {
      lines.push([chrom, 'seqpanel', type, start, end, '.', strand, phase, attributes].join('\t'));
    };
    const [start, end] = [Math.min(...own.map((t) => t.start)), Math.max(...own.map((t) => t.end))];
    const coding = own.some((t) => t.cds.length > 0);
    row('gene', start, end, '.', `ID=${id};Name=${gene};biotype=${coding ? 'protein_coding' : own[0]!.biotype}`);
    for (const t of own) {
      row('mRNA', t.start, t.end, '.', `ID=${t.id};Parent=${id};Name=${t.id};biotype=${t.biotype}`);
      for (const exon of t.exons) row('exon', exon.start, exon.end, '.', `Parent=${t.id}`);
      for (const cds of t.cds) row('CDS', cds.start, cds.end, `${cds.phase ?? 0}`, `Parent=${t.id}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
