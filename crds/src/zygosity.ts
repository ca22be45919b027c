/** What a call's genotype says of its carrier, in one word; the variant table and the post-filter show the same. */

/** A heterozygous genotype below this read frequency is shown as subclonal: no diploid site lies so low. */
export const SUBCLONAL_BELOW = 0.25;

export type Zygosity = 'hom' | 'het' | 'hemi' | 'subclonal';

/** The word for a VCF genotype and a frequency; null when the genotype is open or carries no ALT. */
export function zygosityOf(genotype: string | null, vaf: number | null): Zygosity | null {
  const alleles = (genotype ?? '').split(/[/|]/).filter((allele) => allele !== '.' && allele !== '');
  const alts = alleles.filter((allele) => allele !== '0').length;
  if (alts === 0) return null;
  if (alleles.length === 1) return 'hemi';
  if (alts === alleles.length) return 'hom';
  return vaf !== null && vaf < SUBCLONAL_BELOW ? 'subclonal' : 'het';
}
