/** Limits of websocket clients: constants and the two counters that enforce them. */

export interface SocketLimits {
  /** Largest message in bytes. A token has about 500. */
  payloadBytes: number;
  /** Messages and pings of one socket: burst and rate per second. */
  burst: number;
  perSecond: number;
  /** Sockets in total. Each costs about 20 kB. */
  sockets: number;
  /** Sockets per address that have not sent a valid token yet. */
  waitingPerAddress: number;
  /** Sockets per user. A browser has one per window. */
  perUser: number;
  /** Unsent bytes after which a slow client is disconnected. */
  bufferedBytes: number;
  /** Time to send a valid token, ms. */
  authMs: number;
  /** Time for the closing handshake, ms. */
  closeMs: number;
}

export const SOCKET_LIMITS: SocketLimits = {
  payloadBytes: 8 * 1024,
  burst: 20,
  perSecond: 2,
  sockets: 2_000,
  waitingPerAddress: 50,
  perUser: 50,
  bufferedBytes: 1024 * 1024,
  authMs: 10_000,
  closeMs: 2_000,
};

/** Bucket of `burst` tokens that refills at `perSecond`. `nowMs` comes from a monotonic clock. */
export class Rate {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #at: number;

  constructor({ burst, perSecond }: Pick<SocketLimits, 'burst' | 'perSecond'>, nowMs: number) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
    this.#at = nowMs;
  }

  /** Returns false when the bucket is empty. */
  take(nowMs: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#at) / 1000) * this.#perSecond);
    this.#at = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

/** Counts per key, up to a limit. Removes keys with count 0. */
export class CountByKey {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns false and counts nothing at the limit. */
  enter(key: string): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#most) return false;
    this.#counts.set(key, count + 1);
    return true;
  }

  leave(key: string): void {
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }
}
