/**
 * Remembers which access tokens had a valid signature: a token's signature and claims never change, and checking them took a
 * fifth of a short call. The session behind a token is looked up on every call all the same, so it ends at once.
 */
import type { AccessClaims } from './tokens.ts';

const MAX_TOKENS = 2_000;

interface Verified {
  claims: AccessClaims;
  /** ms. */
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

  /** Undefined for a token that is not known or has expired. */
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
