/** A seeded random source. The same seed gives the same demo, byte for byte, on every machine. */
export interface Random {
  /** From 0 to 1, 1 excluded. */
  next(): number;
  /** A whole number from 0 to `below`, `below` excluded. */
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** About normally distributed, mean 0 and deviation 1. */
  normal(): number;
}

/** sfc32, which passes PractRand and has four words of state. */
export function createRandom(seed: string): Random {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (const letter of seed) {
    d = (d ^ letter.charCodeAt(0)) | 0;
    next();
  }
  for (let i = 0; i < 20; i++) next();
  const below = (n: number): number => Math.floor(next() * n);
  return {
    next,
    below,
    pick: (from) => from[below(from.length)]!,
    // The sum of twelve uniform numbers needs no trigonometry, which differs between machines.
    normal: () => Array.from({ length: 12 }, next).reduce((sum, x) => sum + x, -6),
  };
}
