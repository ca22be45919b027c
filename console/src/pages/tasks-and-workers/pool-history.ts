/** Data of a pool's step chart. Pure. */

/** Window of the chart: the last 6 hours. */
export const HISTORY_MS = 6 * 3_600_000;

export interface Step {
  at: Date;
  desired: number;
  ready: number;
}

/**
 * Returns the steps within the 6 hours up to `now`, including the number at the beginning and at the end of the
 * window. `history`: changes, oldest first; the first one may be older than the window.
 */
export function stepsOf(history: readonly { at: string; desired: number; ready: number }[], now: Date): Step[] {
  const from = now.getTime() - HISTORY_MS;
  const steps = history.map(({ at, desired, ready }) => ({
    at: new Date(Math.min(now.getTime(), Math.max(from, Date.parse(at)))),
    desired,
    ready,
  }));
  const last = steps.at(-1);
  return last ? [...steps, { ...last, at: now }] : [];
}

const mostOf = (steps: readonly Step[]): number =>
  Math.max(1, ...steps.flatMap(({ desired, ready }) => [desired, ready]));

/** Reports whether to draw the pool's maximum: a maximum far above would flatten the chart. */
export const hasMaximum = (steps: readonly Step[], max: number): boolean => max <= mostOf(steps) * 2;

/** Returns the highest drawn number. */
export const topOf = (steps: readonly Step[], max: number): number =>
  hasMaximum(steps, max) ? Math.max(max, mostOf(steps)) : mostOf(steps);

/** Returns at most six whole numbers of nodes for the axis. */
export function nodeTicks(most: number): number[] {
  const step = Math.max(1, Math.ceil(most / 5));
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** Returns the full hours of the window. */
export function hourTicks(now: Date): Date[] {
  const hour = 3_600_000;
  const last = Math.floor(now.getTime() / hour) * hour;
  return Array.from({ length: 6 }, (_, i) => new Date(last - (5 - i) * hour)).filter(
    (tick) => tick.getTime() >= now.getTime() - HISTORY_MS,
  );
}
