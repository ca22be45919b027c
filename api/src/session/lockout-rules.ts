/** When failed logins lock an account's name. Pure; lockout.ts keeps the counts. */

/** In a row, of one name from one address. */
export const MAX_FAILURES = 5;
/**
 * In one window, of one name from all addresses it was not used from. Higher, so that guessing from many addresses ends,
 * while people whose address is known are not locked out by others.
 */
export const MAX_FAILURES_ANYWHERE = 50;
export const LOCK_MINUTES = 30;
/** An address is known this long after the last login from it. */
export const KNOWN_ADDRESS_DAYS = 30;

export interface Failures {
  failures: number;
  /** When the count began. */
  since: Date;
  /** When the last one was counted. */
  last: Date;
}

export interface Attempt {
  /** Of this name from this address. */
  here: Failures | undefined;
  /** Of this name from all addresses that are not known. */
  anywhere: Failures | undefined;
  isKnownAddress: boolean;
}

export type Decision =
  | { admitted: false }
  | {
      admitted: true;
      here: Failures;
      /** Undefined for a known address: its failures lock that address alone. */
      anywhere: Failures | undefined;
      /** Whether this attempt locks when it fails. */
      locks: boolean;
    };

/** Counts an attempt as failed before its password is checked, so that many at once cannot exceed the limit. */
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
