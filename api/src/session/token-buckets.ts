/** Token buckets by key: each key may take `burst` tokens at once and gets `perSecond` back. */
export interface TokenBuckets {
  /** Takes a token. Returns 0, or the seconds until there is one. */
  take(key: string): number;
  readonly size: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Keeps at most `maxKeys` buckets; the one not used for the longest time is evicted. */
export function createTokenBuckets(
  { burst, perSecond, maxKeys }: { burst: number; perSecond: number; maxKeys: number },
  now: () => Date,
): TokenBuckets {
  // In the order of the last use: a Map keeps the order of insertion.
  const buckets = new Map<string, Bucket>();
  return {
    take: (key) => {
      const at = now().getTime() / 1000;
      const before = buckets.get(key) ?? { tokens: burst, at };
      const tokens = Math.min(burst, before.tokens + Math.max(0, at - before.at) * perSecond);
      const isTaken = tokens >= 1;
      buckets.delete(key);
      buckets.set(key, { tokens: isTaken ? tokens - 1 : tokens, at });
      if (buckets.size > maxKeys) for (const oldest of buckets.keys()) if (buckets.delete(oldest)) break;
      return isTaken ? 0 : (1 - tokens) / perSecond;
    },
    get size() {
      return buckets.size;
    },
  };
}
