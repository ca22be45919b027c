/** Why a task is not admitted yet, as its condition Admitted says it. */

import type { Condition } from '@seqpanel/crds/kinds.ts';
import type { GroupPlan, Plan } from './plan.ts';

export interface Wait {
  reason: 'GroupAtLimit' | 'ClusterAtLimit' | 'Turn';
  message: string;
}

/** Undefined for a task that the plan lets start, or does not know. */
export function waitOf(plan: Plan, groupName: string, key: string): Wait | undefined {
  const at = plan.groups.findIndex(({ name }) => name === groupName);
  const place = plan.groups[at]?.waiting.indexOf(key) ?? -1;
  return place < 0 ? undefined : waitAt(plan, at, place);
}

/** Of the task at `place` of the group at `at`. */
export function waitAt(plan: Plan, at: number, place: number): Wait | undefined {
  const group = plan.groups[at];
  if (!group) return undefined;
  const others = aheadOfOthers(plan.groups, at, place);
  return { ...limitOf(plan, group), message: `${limitOf(plan, group).message} ${aheadText(place + others, others)}` };
}

function limitOf({ limits, used }: Plan, group: GroupPlan): Wait {
  const { groupPods, totalPods } = limits;
  if (groupPods > 0 && group.used >= groupPods)
    return { reason: 'GroupAtLimit', message: `The group is at its limit of ${count(groupPods, 'running pod')}.` };
  if (totalPods > 0 && used >= totalPods)
    return {
      reason: 'ClusterAtLimit',
      message: `All groups together are at the limit of ${count(totalPods, 'running pod')}.`,
    };
  return { reason: 'Turn', message: 'The task waits for its turn.' };
}

/** Tasks of other groups that go before the one at `place` of its group: each group has as many turns a round as its weight. */
function aheadOfOthers(groups: readonly GroupPlan[], at: number, place: number): number {
  const round = Math.floor(place / (groups[at]?.weight ?? 1));
  return groups.reduce((sum, { weight, waiting }, i) => {
    if (i === at) return sum;
    return sum + Math.min(waiting.length, weight * (round + (i < at ? 1 : 0)));
  }, 0);
}

function aheadText(all: number, others: number): string {
  return `${count(all, 'task')} ${all === 1 ? 'goes' : 'go'} first, ${others} of them of other groups.`;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const aheadIn = (message: string): number => Number(/(\d+) tasks? go(?:es)? first/.exec(message)?.[1] ?? 0);

/**
 * Whether the condition is worth a write: for another reason, or when half of the tasks that went first have gone. So a
 * place among n costs a task log2(n) writes, and not n.
 */
export function isWorthTelling(known: Condition | undefined, { reason, message }: Wait): boolean {
  if (known?.reason !== reason || known.status !== 'False') return true;
  const before = aheadIn(known.message);
  const now = aheadIn(message);
  return now <= before / 2 ? now !== before : now >= before * 2 && now !== before;
}
