/** Formulas shared by screens, steps and reports, so that they show equal numbers. Pure. */

/** Two-sided 95 % quantile of the normal distribution. */
export const Z95 = 1.959963984540054;

/**
 * Wilson's score interval of a proportion k of n, clipped to 0..1. [0, 1] when n is 0. Preferred to the Wald interval,
 * which is too narrow and reaches below zero for frequencies near 0.
 */
export function scoreInterval(k: number, n: number, z: number = Z95): [low: number, high: number] {
  if (n <= 0) return [0, 1];
  const p = k / n;
  const z2 = (z * z) / n;
  const centre = (p + z2 / 2) / (1 + z2);
  const half = (z / (1 + z2)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n));
  return [k === 0 ? 0 : Math.max(0, centre - half), k === n ? 1 : Math.min(1, centre + half)];
}

const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
];

/** Natural logarithm of the gamma function for x > 0 (Lanczos, g = 7). Relative error below 1e-13. */
export function lnGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lnGamma(1 - x);
  const y = x - 1;
  let sum = 0.9999999999998099;
  for (const [i, c] of LANCZOS.entries()) sum += c / (y + i + 1);
  const t = y + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Logarithm of n over k. */
export const lnChoose = (n: number, k: number): number => lnGamma(n + 1) - lnGamma(k + 1) - lnGamma(n - k + 1);

/** ln P(X >= k) for X ~ Binomial(n, p). 0 for k <= 0, -Infinity for k > n. */
export function lnBinomialTail(k: number, n: number, p: number): number {
  if (k <= 0) return 0;
  if (k > n || p <= 0) return Number.NEGATIVE_INFINITY;
  if (p >= 1) return 0;
  const mean = n * p;
  // Sum the tail from its largest term. Left of the mean, the complement is the shorter sum.
  if (k <= mean) {
    const left = sumTerms(k - 1, n, p, -1);
    return Math.log1p(-Math.min(1, Math.exp(left)));
  }
  return Math.min(0, sumTerms(k, n, p, 1));
}

/** Logarithm of the sum of binomial terms from `from` in direction `step`, until they no longer matter. */
function sumTerms(from: number, n: number, p: number, step: 1 | -1): number {
  const odds = p / (1 - p);
  const first = lnChoose(n, from) + from * Math.log(p) + (n - from) * Math.log1p(-p);
  let term = 1;
  let sum = 1;
  for (let i = from; step === 1 ? i < n : i > 0; i += step) {
    term *= step === 1 ? ((n - i) / (i + 1)) * odds : i / ((n - i + 1) * odds);
    sum += term;
    if (term < sum * 1e-16) break;
  }
  return first + Math.log(sum);
}

/** Highest variant quality [TERT-09]. */
export const MAX_QUALITY = 40;

/** Quality 0-40: the capped Phred value of P(at least `alt` of `depth` fragments by error alone). */
export function variantQuality(alt: number, depth: number, siteError: number): number {
  const phred = (-10 * lnBinomialTail(alt, depth, siteError)) / Math.LN10;
  return Math.max(0, Math.min(MAX_QUALITY, phred));
}

/** Two-sided Fisher's exact p of [[a, b], [c, d]]: the sum over the tables that are at most as probable. */
export function fisherExact(a: number, b: number, c: number, d: number): number {
  const row = a + b;
  const column = a + c;
  const total = a + b + c + d;
  const lowest = Math.max(0, column - (c + d));
  const highest = Math.min(row, column);
  const base = lnChoose(total, column);
  const lnP = (x: number): number => lnChoose(row, x) + lnChoose(total - row, column - x) - base;
  const observed = lnP(a);
  let sum = 0;
  for (let x = lowest; x <= highest; x++) {
    const p = lnP(x);
    // Tolerance for rounding, so that ties count as equal.
    if (p <= observed + 1e-7) sum += Math.exp(p);
  }
  return Math.min(1, sum);
}

/** Returns the median, or null for an empty list. Does not change its argument. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
