/**
 * The time of day as it was when the process started, carried on by the monotonic clock: a clock of the machine that
 * jumps makes no pod late, no status old and no Lease expired.
 */
export const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now());
