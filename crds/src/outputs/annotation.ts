/** Tables of the stage `annotation`, below annotation/. Positions 1-based; NO_VALUE is `.`. */

import type { OutputTable } from './table.ts';

export const ALLELES: OutputTable = {
  file: 'alleles.tsv.gz',
  meaning:
    'Each distinct allele of the task with what the annotation sources say of it. bgzip, tabix on chrom and pos.',
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
    ['clinvar_terms', "ClinVar's clinical significance, terms with `/` between"],
    ['clinvar_stars', 'review stars, 0 to 4'],
    ['population_af', 'highest allele frequency of the populations'],
    ['populations', 'population:AC:AN:AF of each, with `;` between'],
  ],
};

export const CONSEQUENCES: OutputTable = {
  file: 'consequences.tsv.gz',
  meaning: 'Each allele in each transcript it falls in, the one to show first. bgzip.',
  schemaVersion: 1,
  columns: [
    ['allele_key', 'key of the allele'],
    ['transcript', 'transcript accession with version'],
    ['rank', 'preferred, MANE, longest or other; rows of an allele stand in this order'],
    ['gene', 'gene symbol'],
    ['consequence', 'SO terms, most severe first, with `&` between'],
    ['impact', 'HIGH, MODERATE, LOW or MODIFIER'],
    ['exon', 'number/of'],
    ['intron', 'number/of'],
    ['hgvs_c', 'HGVS on the transcript'],
    ['hgvs_p', 'HGVS on the protein, three-letter'],
    ['sift', 'SIFT score'],
    ['polyphen', 'PolyPhen score'],
  ],
};

/** manifest.json: what the annotation was made of. */
export interface AnnotationManifest {
  schema_version: 1;
  sources: { name: string; kind: string; version: string; sha256?: string }[];
}
