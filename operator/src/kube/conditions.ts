/** Status conditions: one entry per type, whose transition time changes only with its status. */

import type { Condition } from '@seqpanel/crds/kinds.ts';

export { findCondition, isTrue } from '@seqpanel/crds/resource-conditions.ts';

/** RFC 3339 in whole seconds, as Kubernetes writes times. Fractions would make equal objects differ. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export interface ConditionUpdate {
  type: string;
  status: Condition['status'];
  /** PascalCase, machine-readable. */
  reason: string;
  /** Human-readable; truncated to 4096 characters. */
  message: string;
}

/** Returns the list with `update` applied and the other conditions unchanged. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  update: ConditionUpdate,
  now: number,
  generation: number | undefined,
): Condition[] {
  const list = [...(conditions ?? [])];
  const at = list.findIndex(({ type }) => type === update.type);
  const before = list[at];
  const next: Condition = {
    type: update.type,
    status: update.status,
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: before?.status === update.status ? before.lastTransitionTime : timestamp(now),
    reason: update.reason,
    message: update.message.slice(0, 4096),
  };
  if (at < 0) list.push(next);
  else list[at] = next;
  return list;
}
