/** Reasons for a pool's desired size, from the conditions that the operator writes. Pure. */

import type { WorkerPool } from '../../queries/admin.ts';

/** Operator's reasons that have a translated text; its English message is shown below each. */
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

/** Status of a condition without a problem. Conditions of other types are information. */
const GOOD: Readonly<Record<string, string>> = { Ready: 'True', Limited: 'False' };

/** Returns warnings first, then the reason for the size. Omits conditions without a problem. */
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
