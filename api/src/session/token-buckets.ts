/** Token buckets by key. Each key has up to `burst` tokens and regains `perSecond`. */
export interface TokenBuckets {
  /** Takes a token. Returns 0, or the seconds until one is available. */
  take(key: string): number;
  readonly size: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Keeps at most `maxKeys` buckets and evicts the least recently used. */
export function createTokenBuckets(
  { burst, perSecond, maxKeys }: { burst: number; perSecond: number; maxKeys: number },
  now: () => Date,
): TokenBuckets {
  // Ordered by last use, because a Map keeps insertion order.
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
