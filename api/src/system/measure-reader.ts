/**
 * Reads metrics from sources that may hang or fail (database, storage). A measure that cannot be read keeps its last
 * value and reports its age, because a failed scrape would stop every alert.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';

/** Prometheus waits 10 s for a whole scrape. */
const TIMEOUT_MS = 2_000;

export class MeasureReader {
  readonly #log: Logger;
  readonly #timeoutMs: number;
  readonly #nowMs: () => number;
  /** Time of the last read (or of the declaration), by measure. */
  readonly #readAt = new Map<string, number>();
  readonly #reading = new Map<string, Promise<void>>();
  readonly #failing = new Set<string>();

  /** `nowMs`: a monotonic clock. */
  constructor(metrics: Registry, log: Logger, timeoutMs = TIMEOUT_MS, nowMs = () => performance.now()) {
    this.#log = log;
    this.#timeoutMs = timeoutMs;
    this.#nowMs = nowMs;
    const reader = this;
    new Gauge({
      name: 'seqpanel_api_measure_age_seconds',
      help: 'Seconds since a measure was last read from the database or the storage; its metrics are as old.',
      labelNames: ['measure'],
      registers: [metrics],
      async collect() {
        await Promise.resolve(); // lets measures of the same scrape start
        await Promise.all([...reader.#reading.values()].map((reading) => reader.#within(reading)));
        for (const [measure, at] of reader.#readAt) this.set({ measure }, (reader.#nowMs() - at) / 1000);
      },
    });
  }

  /**
   * Returns the `collect` function of the metrics that `read` sets. It never rejects and never exceeds the timeout. The
   * next scrape waits for a hanging read instead of starting a second one.
   */
  collector(measure: string, read: () => Promise<void>): () => Promise<void> {
    this.#readAt.set(measure, this.#nowMs());
    return () => {
      let reading = this.#reading.get(measure);
      if (!reading) {
        reading = read()
          .then(
            () => {
              this.#readAt.set(measure, this.#nowMs());
              this.#failing.delete(measure);
            },
            (err) => {
              if (!this.#failing.has(measure)) this.#log.warn({ err, measure }, 'measure not read');
              this.#failing.add(measure);
            },
          )
          .finally(() => this.#reading.delete(measure));
        this.#reading.set(measure, reading);
      }
      return this.#within(reading);
    };
  }

  async #within(reading: Promise<void>): Promise<void> {
    const timeout = new AbortController();
    await Promise.race([reading, wait(this.#timeoutMs, undefined, timeout).catch(() => undefined)]);
    timeout.abort();
  }
}
