/** Why a pool wants its number, from the conditions that the operator writes. Pure. */

import type { WorkerPool } from '../../queries/admin.ts';

/** The operator's reasons that have a text of their own; its message, in English, stands below in any case. */
const KNOWN = [
  'Steady',
  'ScalingOut',
  'ScalingIn',
  'MaxReached',
  'PodTooLarge',
  'NodeNeverRegistered',
  'TargetNotFound',
  'TargetForbidden',
  'NoNodeSelector',
  'Duplicate',
] as const;

export interface PoolReason {
  type: string;
  reason: (typeof KNOWN)[number] | undefined;
  message: string;
  isWarning: boolean;
}

/** How a condition reads when all is well; one of another type is information. */
const GOOD: Readonly<Record<string, string>> = { Ready: 'True', Limited: 'False' };

/** What stands in the way first, then what the number comes from; a condition that only says that all is well is left out. */
export function reasonsOf(conditions: WorkerPool['conditions']): PoolReason[] {
  return conditions
    .filter(({ type, status, message }) => message !== '' && status !== GOOD[type])
    .map(({ type, reason, message }) => ({
      type,
      reason: KNOWN.find((known) => known === reason),
      message,
      isWarning: type in GOOD,
    }))
    .sort((a, b) => Number(b.isWarning) - Number(a.isWarning));
}
