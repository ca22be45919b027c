/** Weighted max-min fairness: a claim gets less than another only if it requests no more. */

export interface Claim {
  /** Share relative to the other claims; at least 1. */
  weight: number;
  /** Units already held; they count towards the share. */
  held: number;
  /** Additional units wanted. */
  wants: number;
}

/**
 * Divides `units` so that (held + given) / weight is as equal as the requests allow (progressive filling: Bertsekas and
 * Gallager, Data Networks, section 6.5.2). Units that do not divide evenly go to the earlier claims.
 */
export function shareOut(units: number, claims: readonly Claim[]): number[] {
  const wanted = claims.reduce((sum, { wants }) => sum + wants, 0);
  if (wanted <= units) return claims.map(({ wants }) => wants);
  const given = (level: number): number[] =>
    claims.map(({ weight, held, wants }) => Math.max(0, Math.min(wants, Math.floor(level * weight) - held)));
  const total = (shares: readonly number[]): number => shares.reduce((sum, share) => sum + share, 0);
  // The highest whole level whose shares fit.
  let low = 0;
  let high = Math.max(...claims.map(({ held, wants }) => held + wants)) + 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (total(given(middle)) <= units) low = middle;
    else high = middle;
  }
  const shares = given(low);
  const next = given(high);
  let left = units - total(shares);
  for (let i = 0; i < shares.length && left > 0; i++) {
    const more = Math.min(left, (next[i] ?? 0) - (shares[i] ?? 0));
    shares[i] = (shares[i] ?? 0) + more;
    left -= more;
  }
  return shares;
}
