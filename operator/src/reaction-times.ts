/**
 * From the end of a task's Job, as the watch told of it, until the next one is made: how fast the operator reacts, and
 * how long the oldest end has not been told of.
 */
export class ReactionTimes {
  /** By the task's key, in milliseconds of the monotonic clock. */
  readonly #ended = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A Job of the task has ended. */
  begin(task: string): void {
    this.#ended.set(task, this.#now());
  }

  /** The next Job is made: the seconds since the end before it; undefined where none was seen. */
  end(task: string): number | undefined {
    const ended = this.#ended.get(task);
    this.#ended.delete(task);
    return ended === undefined ? undefined : (this.#now() - ended) / 1000;
  }

  /** No other Job is made. */
  forget(task: string): void {
    this.#ended.delete(task);
  }

  /** Seconds; 0 where nothing waits. */
  get oldest(): number {
    const oldest = Math.min(...this.#ended.values());
    return Number.isFinite(oldest) ? (this.#now() - oldest) / 1000 : 0;
  }
}
