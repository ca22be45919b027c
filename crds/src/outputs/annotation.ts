/** Tables of the stage `annotation`, in annotation/. Positions are 1-based; NO_VALUE is `.`. */

import type { OutputTable } from './table.ts';

export const ALLELES: OutputTable = {
  file: 'alleles.tsv.gz',
  meaning: 'Each distinct allele of the task with its annotation from all sources. bgzip, tabix on chrom and pos.',
  schemaVersion: 1,
  columns: [
    ['allele_key', 'hash of genome, canonical contig, pos, ref and alt'],
    ['chrom', 'contig'],
    ['pos', '1-based position'],
    ['ref', 'REF'],
    ['alt', 'ALT'],
    ['hgvs_g', 'HGVS on the contig'],
    ['rsid', 'dbSNP id'],
    ['clinvar_id', 'ClinVar variation id'],
    ['clinvar_terms', "ClinVar's clinical significance, terms separated by `/`"],
    ['clinvar_stars', 'review stars, 0 to 4'],
    ['population_af', 'highest allele frequency of the populations'],
    ['populations', 'population:AC:AN:AF of each, separated by `;`'],
  ],
};

export const CONSEQUENCES: OutputTable = {
  file: 'consequences.tsv.gz',
  meaning: 'Each allele in each transcript that it overlaps, the one shown first on top. bgzip.',
  schemaVersion: 1,
  columns: [
    ['allele_key', 'key of the allele'],
    ['transcript', 'transcript accession with version'],
    ['rank', 'preferred, MANE, longest or other; rows of an allele are sorted in this order'],
    ['gene', 'gene symbol'],
    ['consequence', 'SO terms, most severe first, joined by `&`'],
    ['impact', 'HIGH, MODERATE, LOW or MODIFIER'],
    ['exon', 'number/of'],
    ['intron', 'number/of'],
    ['hgvs_c', 'HGVS on the transcript'],
    ['hgvs_p', 'HGVS on the protein, three-letter'],
    ['sift', 'SIFT score'],
    ['polyphen', 'PolyPhen score'],
  ],
};

/** manifest.json: the sources of the annotation. */
export interface AnnotationManifest {
  schema_version: 1;
  sources: { name: string; kind: string; version: string; sha256?: string }[];
}
