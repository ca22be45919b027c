/** Consequence terms (Sequence Ontology) in Ensembl's order, with their IMPACT class. */

export type Impact = 'HIGH' | 'MODERATE' | 'LOW' | 'MODIFIER';

/** https://www.ensembl.org/info/genome/variation/prediction/predicted_data.html, most severe first. */
const TERMS: readonly (readonly [term: string, impact: Impact])[] = [
  ['transcript_ablation', 'HIGH'],
  ['splice_acceptor_variant', 'HIGH'],
  ['splice_donor_variant', 'HIGH'],
  ['stop_gained', 'HIGH'],
  ['frameshift_variant', 'HIGH'],
  ['stop_lost', 'HIGH'],
  ['start_lost', 'HIGH'],
  ['transcript_amplification', 'HIGH'],
  ['inframe_insertion', 'MODERATE'],
  ['inframe_deletion', 'MODERATE'],
  ['missense_variant', 'MODERATE'],
  ['protein_altering_variant', 'MODERATE'],
  ['splice_region_variant', 'LOW'],
  ['incomplete_terminal_codon_variant', 'LOW'],
  ['start_retained_variant', 'LOW'],
  ['stop_retained_variant', 'LOW'],
  ['synonymous_variant', 'LOW'],
  ['coding_sequence_variant', 'MODIFIER'],
  ['5_prime_UTR_variant', 'MODIFIER'],
  ['3_prime_UTR_variant', 'MODIFIER'],
  ['non_coding_transcript_exon_variant', 'MODIFIER'],
  ['intron_variant', 'MODIFIER'],
  ['non_coding_transcript_variant', 'MODIFIER'],
  ['upstream_gene_variant', 'MODIFIER'],
  ['downstream_gene_variant', 'MODIFIER'],
  ['intergenic_variant', 'MODIFIER'],
];
const severity: ReadonlyMap<string, number> = new Map(TERMS.map(([term], i) => [term, i]));

/** Ensembl's terms for finer or older terms of snpEff. */
const SNPEFF: Readonly<Record<string, string>> = {
  conservative_inframe_insertion: 'inframe_insertion',
  disruptive_inframe_insertion: 'inframe_insertion',
  conservative_inframe_deletion: 'inframe_deletion',
  disruptive_inframe_deletion: 'inframe_deletion',
  initiator_codon_variant: 'start_retained_variant',
  '5_prime_UTR_premature_start_codon_gain_variant': '5_prime_UTR_variant',
  '5_prime_UTR_truncation': '5_prime_UTR_variant',
  '3_prime_UTR_truncation': '3_prime_UTR_variant',
  intergenic_region: 'intergenic_variant',
  intragenic_variant: 'intergenic_variant',
  exon_loss_variant: 'transcript_ablation',
  rare_amino_acid_variant: 'missense_variant',
};

/** Returns the rank of the most severe of several joined terms. Lower is more severe. */
export const severityOf = (terms: string): number =>
  Math.min(...terms.split('&').map((term) => severity.get(term) ?? TERMS.length));

/** Converts snpEff's terms to Ensembl's: distinct, most severe first, joined by `&`. Returns them with their impact. */
export function ensemblTerms(snpEff: string): { terms: string; impact: Impact } {
  const named = [...new Set(snpEff.split('&').map((term) => SNPEFF[term] ?? term))].filter((term) =>
    severity.has(term),
  );
  // Ensembl reports only the splice donor or acceptor where snpEff adds the intron.
  const exact = named.some((term) => /^splice_(donor|acceptor)_variant$/.test(term));
  const kept = named.filter((term) => !(exact && (term === 'intron_variant' || term === 'splice_region_variant')));
  const ordered = kept.sort((a, b) => severity.get(a)! - severity.get(b)!);
  if (ordered.length === 0) return { terms: 'coding_sequence_variant', impact: 'MODIFIER' };
  return { terms: ordered.join('&'), impact: TERMS[severity.get(ordered[0]!)!]![1] };
}
