/** The other tabs of the browser: records what this tab posts to them, and delivers what they post. */
export class OtherTabs {
  static posted: unknown[] = [];
  static #here: OtherTabs | undefined;
  onmessage: ((event: { data: unknown }) => void) | null = null;

  constructor() {
    OtherTabs.#here = this;
  }

  /** Delivers a message of another tab. */
  static post(data: unknown): void {
    OtherTabs.#here?.onmessage?.({ data });
  }

  postMessage(message: unknown): void {
    OtherTabs.posted.push(message);
  }

  close(): void {}
}
