/** Increasing delays between attempts, randomized so that many clients do not retry at the same time. */

export interface BackoffOptions {
  /** First delay, ms. */
  baseMs: number;
  /** Longest delay, ms. */
  maxMs: number;
  /** In [0, 1). Injected to make tests exact. */
  random?: () => number;
}

/** Returns the delay after n failures (n >= 1): between half and all of base * 2^(n-1), capped. */
export function backoffMs(failures: number, { baseMs, maxMs, random = Math.random }: BackoffOptions): number {
  const whole = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole / 2 + (whole / 2) * random());
}

/** Resolves after `ms`, or at once when the signal fires. Never throws. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
