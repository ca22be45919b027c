/** The zygosity of a call, the same in the variant table and the post-filter. */

/** A heterozygous call below this frequency is subclonal, because diploid sites are not that low. */
export const SUBCLONAL_BELOW = 0.25;

export type Zygosity = 'hom' | 'het' | 'hemi' | 'subclonal';

/** Returns the zygosity for a VCF genotype and a frequency, or null without genotype or ALT. */
export function zygosityOf(genotype: string | null, vaf: number | null): Zygosity | null {
  const alleles = (genotype ?? '').split(/[/|]/).filter((allele) => allele !== '.' && allele !== '');
  const alts = alleles.filter((allele) => allele !== '0').length;
  if (alts === 0) return null;
  if (alleles.length === 1) return 'hemi';
  if (alts === alleles.length) return 'hom';
  return vaf !== null && vaf < SUBCLONAL_BELOW ? 'subclonal' : 'het';
}
