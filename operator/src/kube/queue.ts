/**
 * Work by key: a key that is added again while it waits is done once, a key is never worked on twice at a time, a
 * failure is repeated after a growing, jittered wait. What is queued is only the key: the work reads the state of now.
 * What is added for `soon` and, after it, for `later` waits until nothing else does, and never takes more than its part
 * of the places. Work that does no I/O gives way to timers and sockets every so often.
 */

import { type BackoffOptions, backoffMs } from '@seqpanel/crds/kube/backoff.ts';
import { isRetryable, isTooManyRequests } from '@seqpanel/crds/kube/errors.ts';

/** What one round of work asks for: nothing, or to be called again after some ms. */
export interface WorkResult {
  requeueAfterMs?: number;
}

export interface WorkQueueOptions {
  work: (key: string, signal: AbortSignal) => Promise<WorkResult>;
  /** Told of every failure, with the wait before the next attempt; for the log and the metrics. */
  onError?: (key: string, error: unknown, waitMs: number) => void;
  /** Keys worked on at a time. */
  concurrency?: number;
  /** As many of them at most may have been added for soon or later. Default: all. */
  laterConcurrency?: number;
  backoff?: BackoffOptions;
}

const BACKOFF = { baseMs: 100, maxMs: 60_000 };
/** Longest wait when only the API server did not answer: it is not the key's fault, and ends for all keys at once. */
const OUTAGE_MAX_MS = 4_000;

/** Rounds begun before timers and sockets have their turn: a leader must renew its Lease whatever is to be done. */
const ROUNDS_AT_A_TIME = 50;

/** Whether work waits its turn or lets all other go before it; in this order. */
const TURNS = ['now', 'soon', 'later'] as const;
export type Turn = (typeof TURNS)[number];

export class WorkQueue {
  readonly #options: Required<Omit<WorkQueueOptions, 'onError'>> & Pick<WorkQueueOptions, 'onError'>;
  readonly #ready: Record<Turn, Set<string>> = { now: new Set(), soon: new Set(), later: new Set() };
  readonly #working = new Map<string, Turn>();
  /** Keys added while they were worked on. */
  readonly #again = new Map<string, Turn>();
  readonly #timers = new Map<string, { due: number; timer: NodeJS.Timeout }>();
  readonly #failures = new Map<string, number>();
  /** Begun since timers and sockets had their turn. */
  #rounds = 0;
  #givesWay = false;
  #signal: AbortSignal | undefined;
  #idle: () => void = () => {};

  constructor(options: WorkQueueOptions) {
    const concurrency = options.concurrency ?? 4;
    this.#options = { laterConcurrency: concurrency, backoff: BACKOFF, ...options, concurrency };
  }

  /** Keys that wait or are worked on now; delayed ones are not counted. */
  get depth(): number {
    return TURNS.reduce((sum, turn) => sum + this.#ready[turn].size, this.#working.size);
  }

  add(key: string, turn: Turn = 'now'): void {
    this.#cancel(key);
    if (this.#working.has(key)) this.#again.set(key, sooner(this.#again.get(key), turn));
    else if (!TURNS.slice(0, TURNS.indexOf(turn)).some((earlier) => this.#ready[earlier].has(key))) {
      for (const later of TURNS.slice(TURNS.indexOf(turn) + 1)) this.#ready[later].delete(key);
      this.#ready[turn].add(key);
    }
    this.#start();
  }

  /** Adds after `ms`, unless an earlier one is due sooner. */
  addAfter(key: string, ms: number, turn: Turn = 'now'): void {
    if (TURNS.some((any) => this.#ready[any].has(key)) || this.#again.has(key)) return;
    const due = performance.now() + ms;
    const waiting = this.#timers.get(key);
    if (waiting && waiting.due <= due) return;
    this.#cancel(key);
    // setTimeout takes at most 2^31 - 1 ms; who asks for more is called then and asks again.
    const timer = setTimeout(() => this.add(key, turn), Math.min(ms, 2 ** 31 - 1));
    this.#timers.set(key, { due, timer });
  }

  /** Works until the signal fires; resolves when the work under way has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#start();
    await new Promise<void>((resolve) => {
      const stop = (): void => {
        for (const key of [...this.#timers.keys()]) this.#cancel(key);
        for (const waiting of Object.values(this.#ready)) waiting.clear();
        this.#idle = resolve;
        if (this.#working.size === 0) resolve();
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }

  #start(): void {
    if (!this.#signal || this.#signal.aborted || this.#givesWay) return;
    const { concurrency, laterConcurrency } = this.#options;
    for (const turn of TURNS) {
      for (const key of this.#ready[turn]) {
        if (this.#working.size >= concurrency) return;
        if (turn !== 'now' && this.#laterOnes() >= laterConcurrency) return;
        if (this.#rounds === ROUNDS_AT_A_TIME) {
          this.#giveWay();
          return;
        }
        this.#rounds++;
        this.#ready[turn].delete(key);
        this.#working.set(key, turn);
        void this.#work(key, turn, this.#signal);
      }
    }
  }

  async #work(key: string, turn: Turn, signal: AbortSignal): Promise<void> {
    try {
      const { requeueAfterMs } = await this.#options.work(key, signal);
      this.#failures.delete(key);
      // What asks to be called again has done what its turn was for.
      if (requeueAfterMs !== undefined && !signal.aborted) this.addAfter(key, requeueAfterMs, 'later');
    } catch (error) {
      if (!signal.aborted) {
        const failures = (this.#failures.get(key) ?? 0) + 1;
        this.#failures.set(key, failures);
        const waitMs = waitAfter(error, failures, this.#options.backoff);
        this.#options.onError?.(key, error, waitMs);
        this.addAfter(key, waitMs, turn);
      }
    } finally {
      this.#working.delete(key);
      const again = this.#again.get(key);
      this.#again.delete(key);
      if (again) this.add(key, again);
      this.#start();
      if (signal.aborted && this.#working.size === 0) this.#idle();
    }
  }

  #giveWay(): void {
    this.#givesWay = true;
    setImmediate(() => {
      this.#givesWay = false;
      this.#rounds = 0;
      this.#start();
    });
  }

  #laterOnes(): number {
    let count = 0;
    for (const turn of this.#working.values()) if (turn !== 'now') count++;
    return count;
  }

  #cancel(key: string): void {
    const waiting = this.#timers.get(key);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    this.#timers.delete(key);
  }
}

const sooner = (a: Turn | undefined, b: Turn): Turn => (a && TURNS.indexOf(a) < TURNS.indexOf(b) ? a : b);

function waitAfter(error: unknown, failures: number, backoff: BackoffOptions): number {
  const maxMs = isRetryable(error) ? Math.min(backoff.maxMs, OUTAGE_MAX_MS) : backoff.maxMs;
  const asked = isTooManyRequests(error) ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(asked, backoffMs(failures, { ...backoff, maxMs }));
}
