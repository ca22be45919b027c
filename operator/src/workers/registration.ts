/** Nodes that did not join: which are late, and which machines to replace, with growing delay. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import { timestamp } from '../kube/conditions.ts';
import type { WorkerRow } from './rows.ts';

export type Replacements = NonNullable<WorkerPool['status']>['replacements'];

export interface RegistrationInput {
  rows: readonly WorkerRow[];
  /** Nodes requested that have not joined. */
  awaited: number;
  /** Since when, for targets that do not list their machines. */
  awaitedSince: number;
  /** The target lists its machines, so that single ones can be replaced. */
  hasMachines: boolean;
  timeoutMs: number;
  before: Replacements;
  /** When the pool's newest node joined. */
  newest: number;
  now: number;
}

export interface Registration {
  /** Number of late rows; for a plain target, of late nodes. */
  late: number;
  /** Rows whose machines to replace now. */
  replace: string[];
  replacements: Replacements;
  /** When the next one is late or may be replaced. */
  dueAt?: number;
}

/** Limits the servers that a broken image creates and deletes: 1, 2, 4 … 64 times the timeout between rounds. */
const MOST_DOUBLINGS = 6;

export function registration(input: RegistrationInput): Registration {
  const { rows, awaited, hasMachines, timeoutMs, now } = input;
  const joined = input.before && input.newest > Date.parse(input.before.lastTime);
  const before = joined || awaited === 0 ? undefined : input.before;
  if (!hasMachines) {
    const lateAt = input.awaitedSince + timeoutMs;
    if (awaited === 0) return { late: 0, replace: [], replacements: undefined };
    if (lateAt > now) return { late: 0, replace: [], replacements: undefined, dueAt: lateAt };
    return { late: awaited, replace: [], replacements: undefined };
  }
  const absent = rows.filter(({ registerStatus }) => registerStatus === 'Pending' || registerStatus === 'Lost');
  const lateAt = ({ since }: WorkerRow): number => Date.parse(since ?? '') + timeoutMs;
  const late = absent.filter((row) => lateAt(row) <= now);
  const nextAt = before
    ? Date.parse(before.lastTime) + timeoutMs * 2 ** Math.min(before.count - 1, MOST_DOUBLINGS)
    : now;
  const times = [...absent.map(lateAt), ...(late.length > 0 ? [nextAt] : [])].filter((at) => at > now);
  const dueAt = times.length > 0 ? { dueAt: Math.min(...times) } : {};
  if (late.length === 0 || nextAt > now) return { late: late.length, replace: [], replacements: before, ...dueAt };
  return {
    late: late.length,
    replace: late.map(({ node }) => node),
    replacements: { count: (before?.count ?? 0) + 1, lastTime: timestamp(now) },
    ...dueAt,
  };
}
