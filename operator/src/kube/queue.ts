/**
 * Work queue by key. A waiting key is queued once, a key is never processed twice at the same time, and a failure is
 * retried with growing, jittered delay. Only keys are queued; work reads the current state. Keys with priority `soon`, and
 * after them `later`, wait until no other key is ready and use only their share of the slots. Work without I/O yields to
 * timers and sockets regularly.
 */

import { type BackoffOptions, backoffMs } from '@seqpanel/crds/kube/backoff.ts';
import { isRetryable, isTooManyRequests } from '@seqpanel/crds/kube/errors.ts';

/** Result of one round of work: nothing, or another round after some ms. */
export interface WorkResult {
  requeueAfterMs?: number;
}

export interface WorkQueueOptions {
  work: (key: string, signal: AbortSignal) => Promise<WorkResult>;
  /** Called for each failure with the delay before the retry, for log and metrics. */
  onError?: (key: string, error: unknown, waitMs: number) => void;
  /** Keys processed at the same time. */
  concurrency?: number;
  /** Of these, how many may have priority soon or later. Default: all. */
  laterConcurrency?: number;
  backoff?: BackoffOptions;
}

const BACKOFF = { baseMs: 100, maxMs: 60_000 };
/** Longest delay when only the API server did not respond: that is not the key's fault and ends for all keys at once. */
const OUTAGE_MAX_MS = 4_000;

/** Rounds started before yielding to timers and sockets: a leader must renew its Lease under any load. */
const ROUNDS_AT_A_TIME = 50;

/** Priorities in their order. */
const PRIORITIES = ['now', 'soon', 'later'] as const;
export type Priority = (typeof PRIORITIES)[number];

export class WorkQueue {
  readonly #options: Required<Omit<WorkQueueOptions, 'onError'>> & Pick<WorkQueueOptions, 'onError'>;
  readonly #ready: Record<Priority, Set<string>> = { now: new Set(), soon: new Set(), later: new Set() };
  readonly #working = new Map<string, Priority>();
  /** Keys added while they were being processed. */
  readonly #again = new Map<string, Priority>();
  readonly #timers = new Map<string, { due: number; timer: NodeJS.Timeout }>();
  readonly #failures = new Map<string, number>();
  /** Rounds started since the last yield. */
  #rounds = 0;
  #givesWay = false;
  #signal: AbortSignal | undefined;
  #idle: () => void = () => {};

  constructor(options: WorkQueueOptions) {
    const concurrency = options.concurrency ?? 4;
    this.#options = { laterConcurrency: concurrency, backoff: BACKOFF, ...options, concurrency };
  }

  /** Number of waiting and active keys, excluding delayed ones. */
  get depth(): number {
    return PRIORITIES.reduce((sum, priority) => sum + this.#ready[priority].size, this.#working.size);
  }

  add(key: string, priority: Priority = 'now'): void {
    this.#cancel(key);
    if (this.#working.has(key)) this.#again.set(key, sooner(this.#again.get(key), priority));
    else if (!PRIORITIES.slice(0, PRIORITIES.indexOf(priority)).some((earlier) => this.#ready[earlier].has(key))) {
      for (const later of PRIORITIES.slice(PRIORITIES.indexOf(priority) + 1)) this.#ready[later].delete(key);
      this.#ready[priority].add(key);
    }
    this.#start();
  }

  /** Adds the key after `ms`, unless it is already due sooner. */
  addAfter(key: string, ms: number, priority: Priority = 'now'): void {
    if (PRIORITIES.some((any) => this.#ready[any].has(key)) || this.#again.has(key)) return;
    const due = performance.now() + ms;
    const waiting = this.#timers.get(key);
    if (waiting && waiting.due <= due) return;
    this.#cancel(key);
    // setTimeout is limited to 2^31 - 1 ms; a longer delay ends early and is requested again.
    const timer = setTimeout(() => this.add(key, priority), Math.min(ms, 2 ** 31 - 1));
    this.#timers.set(key, { due, timer });
  }

  /** Works until the signal fires; resolves when work in progress has finished. */
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
    for (const priority of PRIORITIES) {
      for (const key of this.#ready[priority]) {
        if (this.#working.size >= concurrency) return;
        if (priority !== 'now' && this.#laterOnes() >= laterConcurrency) return;
        if (this.#rounds === ROUNDS_AT_A_TIME) {
          this.#giveWay();
          return;
        }
        this.#rounds++;
        this.#ready[priority].delete(key);
        this.#working.set(key, priority);
        void this.#work(key, priority, this.#signal);
      }
    }
  }

  async #work(key: string, priority: Priority, signal: AbortSignal): Promise<void> {
    try {
      const { requeueAfterMs } = await this.#options.work(key, signal);
      this.#failures.delete(key);
      // The key has used its priority; the repetition has a low one.
      if (requeueAfterMs !== undefined && !signal.aborted) this.addAfter(key, requeueAfterMs, 'later');
    } catch (error) {
      if (!signal.aborted) {
        const failures = (this.#failures.get(key) ?? 0) + 1;
        this.#failures.set(key, failures);
        const waitMs = waitAfter(error, failures, this.#options.backoff);
        this.#options.onError?.(key, error, waitMs);
        this.addAfter(key, waitMs, priority);
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
    for (const priority of this.#working.values()) if (priority !== 'now') count++;
    return count;
  }

  #cancel(key: string): void {
    const waiting = this.#timers.get(key);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    this.#timers.delete(key);
  }
}

const sooner = (a: Priority | undefined, b: Priority): Priority =>
  a && PRIORITIES.indexOf(a) < PRIORITIES.indexOf(b) ? a : b;

function waitAfter(error: unknown, failures: number, backoff: BackoffOptions): number {
  const maxMs = isRetryable(error) ? Math.min(backoff.maxMs, OUTAGE_MAX_MS) : backoff.maxMs;
  const asked = isTooManyRequests(error) ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.max(asked, backoffMs(failures, { ...backoff, maxMs }));
}
