/** A loop that works when it is woken, and anyway after a while: a lost wake-up costs time, never work. */

import type { Logger } from 'pino';

export interface Loop {
  wake(): void;
  run(signal: AbortSignal): Promise<void>;
}

export interface LoopOptions {
  name: string;
  log: Logger;
  /** Longest rest, ms. */
  pollMs: number;
  /** Does all there is to do; answers when to come back at the latest, ms, if sooner than pollMs. */
  work: (signal: AbortSignal) => Promise<number | undefined>;
}

const AFTER_ERROR_MS = 1_000;

/** `run` ends with its signal and never rejects; an error of the work is logged and the work done again. */
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
          log.error({ err: error }, `${name} failed`);
          ms = AFTER_ERROR_MS;
        }
        if (!woken && !signal.aborted) await rest(ms);
      }
      signal.removeEventListener('abort', stop);
    },
  };
}
