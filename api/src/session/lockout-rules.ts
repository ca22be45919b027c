/** Decides when failed logins lock a name. Pure; lockout.ts stores the counts. */

/** Consecutive failures of one name from one address. */
export const MAX_FAILURES = 5;
/**
 * Failures of one name within a window from all unknown addresses. High enough that others cannot lock out a user with
 * a known address, but low enough to stop guessing from many addresses.
 */
export const MAX_FAILURES_ANYWHERE = 50;
export const LOCK_MINUTES = 30;
/** Days that an address stays known after the last login from it. */
export const KNOWN_ADDRESS_DAYS = 30;

export interface Failures {
  failures: number;
  /** Time of the first counted failure. */
  since: Date;
  /** Time of the last counted failure. */
  last: Date;
}

export interface Attempt {
  /** Failures of this name from this address. */
  here: Failures | undefined;
  /** Failures of this name from all unknown addresses. */
  anywhere: Failures | undefined;
  isKnownAddress: boolean;
}

export type Decision =
  | { admitted: false }
  | {
      admitted: true;
      here: Failures;
      /** Undefined for a known address, whose failures lock only that address. */
      anywhere: Failures | undefined;
      /** Whether this attempt locks the name if it fails. */
      locks: boolean;
    };

/** Counts an attempt as failed before its password is checked, so that parallel attempts cannot exceed the limit. */
export function decideAttempt({ here, anywhere, isKnownAddress }: Attempt, now: Date): Decision {
  const lockTime = now.getTime() - LOCK_MINUTES * 60_000;
  const first = { failures: 1, since: now, last: now };
  const isLocked = (count: Failures | undefined, max: number): boolean =>
    count !== undefined && count.failures >= max && count.last.getTime() > lockTime;
  if (isLocked(here, MAX_FAILURES)) return { admitted: false };
  if (!isKnownAddress && isLocked(anywhere, MAX_FAILURES_ANYWHERE)) return { admitted: false };
  const counted = (count: Failures | undefined, isOver: boolean): Failures =>
    count && !isOver ? { failures: count.failures + 1, since: count.since, last: now } : first;
  const nextHere = counted(here, (here?.failures ?? 0) >= MAX_FAILURES);
  const windowIsOver =
    (anywhere?.failures ?? 0) >= MAX_FAILURES_ANYWHERE || (anywhere?.since.getTime() ?? 0) <= lockTime;
  const nextAnywhere = isKnownAddress ? undefined : counted(anywhere, windowIsOver);
  const locks = nextHere.failures >= MAX_FAILURES || (nextAnywhere?.failures ?? 0) >= MAX_FAILURES_ANYWHERE;
  return { admitted: true, here: nextHere, anywhere: nextAnywhere, locks };
}
