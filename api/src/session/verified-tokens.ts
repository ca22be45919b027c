/**
 * Caches access tokens with a verified signature, because signature and claims never change and checking them took a
 * fifth of a short call. The session is still looked up on every call, so that its end takes effect at once.
 */

const MAX_TOKENS = 2_000;

export interface AccessClaims {
  userId: string;
  sessionId: string;
}

interface Verified {
  claims: AccessClaims;
  /** In ms. */
  expires: number;
}

export class VerifiedTokens {
  readonly #known = new Map<string, Verified>();
  readonly #now: () => Date;
  readonly #most: number;

  constructor(now: () => Date, most = MAX_TOKENS) {
    this.#now = now;
    this.#most = most;
  }

  /** Returns undefined for an unknown or expired token. */
  claimsOf(token: string): AccessClaims | undefined {
    const found = this.#known.get(token);
    if (!found) return undefined;
    if (found.expires > this.#now().getTime()) return found.claims;
    this.#known.delete(token);
    return undefined;
  }

  add(token: string, verified: Verified): void {
    if (this.#known.size >= this.#most) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(token, verified);
  }
}
