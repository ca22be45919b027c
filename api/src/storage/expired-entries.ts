/** Which kept results of a group go. Pure. */

export interface CacheEntry {
  /** Relative to the storage root. */
  path: string;
  /** When it was made or last taken, ms. */
  usedMs: number;
  /** What it alone holds on the disk: files that a task has as well (hard links) cost nothing. */
  bytes: number;
}

export interface CacheLimits {
  maxAgeMs: number;
  maxBytes: number;
}

/** Those not used for too long, and of the others the longest unused, until the rest is small enough. */
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
