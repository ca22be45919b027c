/** Time over which the speed is averaged. */
const SPEED_WINDOW_MS = 4_000;

/** Measures the speed of a queue's transfers from their progress. */
export class UploadSpeeds {
  readonly #marks = new Map<string, { at: number; sent: number }[]>();

  /** Starts measuring a transfer of the item. */
  begin(id: string): void {
    this.#marks.set(id, []);
  }

  /** Returns bytes per second when `sent` bytes of the item are stored at `at`, in milliseconds. */
  speed(id: string, sent: number, at: number): number {
    const marks = [...(this.#marks.get(id) ?? []), { at, sent }].filter((mark) => at - mark.at <= SPEED_WINDOW_MS);
    this.#marks.set(id, marks);
    const first = marks[0];
    return first && at > first.at ? ((sent - first.sent) * 1000) / (at - first.at) : 0;
  }
}
