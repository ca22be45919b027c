/**
 * Times from the watch event of a task's Job end to the creation of the next Job, and the age of the oldest end that no
 * status records.
 */
export class ReactionTimes {
  /** By task key, in milliseconds of the monotonic clock. */
  readonly #ended = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Records that a Job of the task has ended. */
  begin(task: string): void {
    this.#ended.set(task, this.#now());
  }

  /** Returns the seconds from the last Job end to the creation of the next Job; undefined when no end was seen. */
  end(task: string): number | undefined {
    const ended = this.#ended.get(task);
    this.#ended.delete(task);
    return ended === undefined ? undefined : (this.#now() - ended) / 1000;
  }

  /** Stops timing the task, because no other Job follows. */
  forget(task: string): void {
    this.#ended.delete(task);
  }

  /** Age of the oldest open end in seconds; 0 when there is none. */
  get oldest(): number {
    const oldest = Math.min(...this.#ended.values());
    return Number.isFinite(oldest) ? (this.#now() - oldest) / 1000 : 0;
  }
}
