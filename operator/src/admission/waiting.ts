/** Why a task is not admitted yet, as text of its condition Admitted. */

import type { Condition } from '@seqpanel/crds/kinds.ts';
import type { GroupPlan, Plan } from './admission-plan.ts';

export interface Wait {
  reason: 'GroupAtLimit' | 'ClusterAtLimit' | 'Turn';
  message: string;
}

/** Returns undefined for a task that may start or that the plan does not contain. */
export function waitOf(plan: Plan, groupName: string, key: string): Wait | undefined {
  const at = plan.groups.findIndex(({ name }) => name === groupName);
  const place = plan.groups[at]?.waiting.indexOf(key) ?? -1;
  return place < 0 ? undefined : waitAt(plan, at, place);
}

/** Returns the wait of the task at index `place` of the group at index `at`. */
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
  return { reason: 'Turn', message: 'The task is waiting for its turn.' };
}

/** Counts tasks of other groups that start before this one: each group has as many turns per round as its weight. */
function aheadOfOthers(groups: readonly GroupPlan[], at: number, place: number): number {
  const round = Math.floor(place / (groups[at]?.weight ?? 1));
  return groups.reduce((sum, { weight, waiting }, i) => {
    if (i === at) return sum;
    return sum + Math.min(waiting.length, weight * (round + (i < at ? 1 : 0)));
  }, 0);
}

function aheadText(all: number, others: number): string {
  return `${count(all, 'task')} ${all === 1 ? 'starts' : 'start'} first, ${others} of them from other groups.`;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

const aheadIn = (message: string): number => Number(/(\d+) tasks? starts? first/.exec(message)?.[1] ?? 0);

/**
 * Reports whether the condition needs a write: the reason changed, or half of the tasks ahead are gone. So a position of
 * n costs log2(n) writes instead of n.
 */
export function needsUpdate(known: Condition | undefined, { reason, message }: Wait): boolean {
  if (known?.reason !== reason || known.status !== 'False') return true;
  const before = aheadIn(known.message);
  const now = aheadIn(message);
  return now <= before / 2 ? now !== before : now >= before * 2 && now !== before;
}
