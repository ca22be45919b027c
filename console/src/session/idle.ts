/** Minutes until auto-logout, unless the user has set another timeout. */
export const DEFAULT_AUTO_LOGOUT_MINUTES = 30;
/** The warning is shown for the last 60 s. */
export const WARN_BEFORE_MS = 60_000;

/** Returns the state of a session without activity since `lastActive` (ms). `minutes`: the stored timeout. */
export function idleState(
  now: number,
  lastActive: number,
  minutes: number | null,
): { kind: 'active' } | { kind: 'warn'; secondsLeft: number } | { kind: 'over' } {
  const limit = (minutes ?? DEFAULT_AUTO_LOGOUT_MINUTES) * 60_000;
  const left = limit - (now - lastActive);
  if (left <= 0) return { kind: 'over' };
  // For a timeout of one or two minutes the warning starts in its second half.
  const warnBefore = Math.min(WARN_BEFORE_MS, limit / 2);
  return left <= warnBefore ? { kind: 'warn', secondsLeft: Math.ceil(left / 1000) } : { kind: 'active' };
}
