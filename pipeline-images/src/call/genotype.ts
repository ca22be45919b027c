/** Maximum genotype quality. Higher values carry no information. */
export const MAX_GQ = 99;

/** Returns the genotype by frequency, and the Phred of the second best of 0/0, 0/1 and 1/1 given the counts. */
export function genotype(
  alt: number,
  depth: number,
  error: number,
  homozygousFrom: number,
): { gt: string; gq: number } {
  if (depth === 0) return { gt: './.', gq: 0 };
  const gt = alt === 0 ? '0/0' : alt / depth >= homozygousFrom ? '1/1' : '0/1';
  const e = Math.min(0.01, Math.max(error, 1e-4));
  const ln = (p: number): number => alt * Math.log(p) + (depth - alt) * Math.log1p(-p);
  const likelihoods = [ln(e), ln(0.5), ln(1 - e)].sort((a, b) => b - a);
  const gq = Math.round((10 * (likelihoods[0]! - likelihoods[1]!)) / Math.LN10);
  return { gt, gq: Math.min(MAX_GQ, gq) };
}
