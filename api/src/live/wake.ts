/** A loop that works when it is woken, and anyway after a while: a lost wake-up costs time, never work. */

import { sleep } from '@seqpanel/crds/kube/backoff.ts';
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

export function createLoop({ name, log, pollMs, work }: LoopOptions): Loop {
  let woken = false;
  let interrupt: AbortController | undefined;
  return {
    wake: () => {
      woken = true;
      interrupt?.abort();
    },
    run: async (signal) => {
      while (!signal.aborted) {
        woken = false;
        let rest = pollMs;
        try {
          rest = Math.min(pollMs, (await work(signal)) ?? pollMs);
        } catch (error) {
          if (signal.aborted) return;
          log.error({ err: error }, `${name} failed`);
          rest = AFTER_ERROR_MS;
        }
        if (woken || signal.aborted) continue;
        interrupt = new AbortController();
        await sleep(rest, AbortSignal.any([signal, interrupt.signal]));
        interrupt = undefined;
      }
    },
  };
}
