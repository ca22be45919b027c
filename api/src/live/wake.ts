/** Runs work in a loop when woken, and after an interval anyway, so that a lost wake-up costs only time. */

import type { Logger } from 'pino';

export interface Loop {
  wake(): void;
  run(signal: AbortSignal): Promise<void>;
}

export interface LoopOptions {
  name: string;
  log: Logger;
  /** Longest pause, ms. */
  pollMs: number;
  /** Does all pending work. Returns the ms after which to run again, if sooner than pollMs. */
  work: (signal: AbortSignal) => Promise<number | undefined>;
}

const AFTER_ERROR_MS = 1_000;

/** `run` ends with its signal and never rejects. Logs errors of the work and retries. */
export function createLoop({ name, log, pollMs, work }: LoopOptions): Loop {
  let woken = false;
  let interrupt: () => void = () => {};
  const rest = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return {
    wake: () => {
      woken = true;
      interrupt();
    },
    run: async (signal) => {
      const stop = (): void => interrupt();
      signal.addEventListener('abort', stop, { once: true });
      while (!signal.aborted) {
        woken = false;
        let ms = pollMs;
        try {
          ms = Math.min(pollMs, (await work(signal)) ?? pollMs);
        } catch (error) {
          if (signal.aborted) break;
          log.error({ err: error, loop: name }, 'background work failed, retrying');
          ms = AFTER_ERROR_MS;
        }
        if (!woken && !signal.aborted) await rest(ms);
      }
      signal.removeEventListener('abort', stop);
    },
  };
}
