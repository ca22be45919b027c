/**
 * The wall clock at process start, advanced by the monotonic clock. So a jump of the machine's clock cannot make a pod
 * overdue, a status stale or a Lease expired.
 */
export const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now());
