/** Growing waits between repeated attempts, spread at random so that many clients do not come back together. */

export interface BackoffOptions {
  /** First wait, ms. */
  baseMs: number;
  /** Longest wait, ms. */
  maxMs: number;
  /** In [0, 1); injected so that tests are exact. */
  random?: () => number;
}

/** The wait before attempt n + 1 after n failures (n >= 1): between half and the whole of base * 2^(n-1), capped. */
export function backoffMs(failures: number, { baseMs, maxMs, random = Math.random }: BackoffOptions): number {
  const whole = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole / 2 + (whole / 2) * random());
}

/** Resolves after `ms`, or at once when the signal fires; never throws. */
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
