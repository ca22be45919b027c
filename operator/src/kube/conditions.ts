/** Conditions as data: one entry a type, its transition time changes only with its status. */

import type { Condition } from '@seqpanel/crds/kinds.ts';

export { findCondition, isTrue } from '@seqpanel/crds/resource-conditions.ts';

/** RFC 3339 with whole seconds, as Kubernetes writes times; finer ones would make equal objects differ. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export interface ConditionUpdate {
  type: string;
  status: Condition['status'];
  /** PascalCase, for programs. */
  reason: string;
  /** For people; cut to 4096 characters. */
  message: string;
}

/** The list with `update` in it; the others stay as they are. */
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
