/** The speed is a mean over this time. */
const SPEED_WINDOW_MS = 4_000;

/** Speed of a queue's transfers, from their progress over time. */
export class UploadSpeeds {
  readonly #marks = new Map<string, { at: number; sent: number }[]>();

  /** A transfer of the item begins. */
  begin(id: string): void {
    this.#marks.set(id, []);
  }

  /** Bytes per second, `sent` bytes of the item being stored at `at`, in milliseconds. */
  speed(id: string, sent: number, at: number): number {
    const marks = [...(this.#marks.get(id) ?? []), { at, sent }].filter((mark) => at - mark.at <= SPEED_WINDOW_MS);
    this.#marks.set(id, marks);
    const first = marks[0];
    return first && at > first.at ? ((sent - first.sent) * 1000) / (at - first.at) : 0;
  }
}
