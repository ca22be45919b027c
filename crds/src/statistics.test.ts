import { fisherExact, lnBinomialTail, lnGamma, median, scoreInterval, variantQuality } from './statistics.ts';

describe('the shared statistics', () => {
  test('the score interval of 142 of 2,851 is 4.24 to 5.84 %', () => {
    const [low, high] = scoreInterval(142, 2851);
    expect(low).toBeCloseTo(0.04239, 4);
    expect(high).toBeCloseTo(0.05844, 4);
  });
  test('the score interval stays within 0..1', () => {
    expect(scoreInterval(0, 10)[0]).toBe(0);
    expect(scoreInterval(10, 10)[1]).toBe(1);
    expect(scoreInterval(0, 0)).toEqual([0, 1]);
  });
  test('lnGamma equals factorials', () => {
    expect(lnGamma(11)).toBeCloseTo(Math.log(3628800), 10);
  });
  test('the binomial tail equals the plain sum on both sides of the mean', () => {
    const plain = (k: number, n: number, p: number): number => {
      let sum = 0;
      let c = 1;
      for (let i = 0; i <= n; i++) {
        if (i > 0) c = (c * (n - i + 1)) / i;
        if (i >= k) sum += c * p ** i * (1 - p) ** (n - i);
      }
      return sum;
    };
    for (const [k, n, p] of [
      [3, 20, 0.05],
      [1, 20, 0.3],
      [12, 20, 0.3],
      [20, 20, 0.3],
      [0, 20, 0.3],
    ] as const)
      expect(Math.exp(lnBinomialTail(k, n, p))).toBeCloseTo(plain(k, n, p), 12);
  });
  test('quality is 0 without reads, and 40 at most', () => {
    expect(variantQuality(0, 100, 0.001)).toBe(0);
    expect(variantQuality(50, 100, 0.001)).toBe(40);
    expect(variantQuality(1, 1000, 0.001)).toBeCloseTo(-10 * Math.log10(1 - 0.999 ** 1000), 6);
  });
  test("Fisher's p of the tea tasting table is 0.486", () => {
    expect(fisherExact(3, 1, 1, 3)).toBeCloseTo(0.48571, 5);
    expect(fisherExact(10, 0, 0, 10)).toBeCloseTo(1.0825e-5, 8);
  });
  test('the median of nothing is null', () => {
    expect(median([])).toBeNull();
    expect(median([3, 1, 2, 10])).toBe(2.5);
  });
});
