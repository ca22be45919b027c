/** Selects the kept results of a group that expire. Pure. */

export interface CacheEntry {
  /** Relative to the storage root. */
  path: string;
  /** Time of creation or last use, ms. */
  usedMs: number;
  /** Bytes on disk of this entry alone. Files shared with a task (hard links) are free. */
  bytes: number;
}

export interface CacheLimits {
  maxAgeMs: number;
  maxBytes: number;
}

/** Selects entries unused for too long, then the least recently used until the rest fits the limit. */
export function expiredEntries(entries: readonly CacheEntry[], limits: CacheLimits, nowMs: number): CacheEntry[] {
  let held = 0;
  return entries
    .toSorted((a, b) => b.usedMs - a.usedMs)
    .filter(({ usedMs, bytes }) => {
      if (nowMs - usedMs > limits.maxAgeMs) return true;
      held += bytes;
      return bytes > 0 && held > limits.maxBytes;
    });
}
