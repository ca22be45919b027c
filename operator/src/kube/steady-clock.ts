/**
 * The wall clock at process start, advanced by the monotonic clock. So a jump of the machine's clock makes no pod overdue,
 * no status stale and no Lease expired.
 */
export const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now());
