import type { Session, SessionStore } from './session.ts';

type TabMessage =
  | { kind: 'ask' }
  | { kind: 'session'; session: Session }
  | { kind: 'ended' }
  | { kind: 'active'; at: number };

/** Time that a new tab waits for the session of the others. */
const ANSWER_MS = 150;

/**
 * Shares the session storage, which belongs to one tab, with the other tabs of the browser. A link opened in a new tab
 * then needs no second login, all tabs know a rotated refresh token, and a logout ends all of them.
 */
export class TabSync {
  readonly #store: SessionStore;
  readonly #channel: BroadcastChannel;
  readonly #activity = new Set<(at: number) => void>();
  #applying = false;
  #last: Session | undefined;

  constructor(store: SessionStore, channel: BroadcastChannel) {
    this.#store = store;
    this.#channel = channel;
    this.#last = store.get();
    channel.onmessage = (event: MessageEvent<TabMessage>) => this.#receive(event.data);
    store.subscribe(() => {
      const now = store.get();
      if (!this.#applying && now) this.#post({ kind: 'session', session: now });
      this.#last = now;
    });
    store.onEnd(() => {
      if (!this.#applying) this.#post({ kind: 'ended' });
    });
  }

  /** Asks the other tabs for the newest session; resolves at the first answer or after 150 ms. */
  ask(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(done, ANSWER_MS);
      const stop = this.#store.subscribe(done);
      this.#post({ kind: 'ask' });
    });
  }

  reportActivity(at: number): void {
    this.#post({ kind: 'active', at });
  }

  onActivity(listener: (at: number) => void): () => void {
    this.#activity.add(listener);
    return () => void this.#activity.delete(listener);
  }

  #receive(message: TabMessage): void {
    if (message.kind === 'active') for (const listener of this.#activity) listener(message.at);
    if (message.kind === 'ask' && this.#last) this.#post({ kind: 'session', session: this.#last });
    this.#applying = true;
    // A tab of another user (logged out and in again elsewhere) follows the newest login.
    if (message.kind === 'session') this.#store.set(message.session);
    if (message.kind === 'ended') this.#store.end('logout');
    this.#applying = false;
  }

  #post(message: TabMessage): void {
    this.#channel.postMessage(message);
  }
}
