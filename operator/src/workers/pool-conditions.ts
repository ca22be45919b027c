/** The conditions of a WorkerPool: Ready, Scaling with the reason for its number, and Limited. */

import type { Condition, WorkerPool } from '@seqpanel/crds/kinds.ts';
import { type ConditionUpdate, withCondition } from '../kube/conditions.ts';
import { describeAmounts } from './amounts.ts';
import type { Plan } from './pool-plan.ts';

export const CONDITION = { ready: 'Ready', scaling: 'Scaling', limited: 'Limited' } as const;

export const REASON = {
  served: 'Served',
  targetNotFound: 'TargetNotFound',
  targetForbidden: 'TargetForbidden',
  noNodeSelector: 'NoNodeSelector',
  duplicate: 'Duplicate',
  neverRegistered: 'NodeNeverRegistered',
  steady: 'Steady',
  scalingOut: 'ScalingOut',
  scalingIn: 'ScalingIn',
  withinLimits: 'WithinLimits',
  maxReached: 'MaxReached',
  podTooLarge: 'PodTooLarge',
} as const;

export interface Problem {
  reason: (typeof REASON)[keyof typeof REASON];
  message: string;
}

/** Names listed in a message; further ones are counted. */
const MOST_NAMES = 5;

export const listed = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** `replicas` is the target's number after this round. */
export function planConditions(
  pool: WorkerPool,
  plan: Plan,
  waiting: number,
  replicas: number,
  now: number,
): Condition[] {
  const updates = [readyOf(pool, plan), scalingOf(pool, plan, waiting, replicas), limitedOf(pool, plan)];
  return updates.reduce<Condition[]>(
    (conditions, update) => withCondition(conditions, update, now, pool.metadata?.generation),
    pool.status?.conditions ?? [],
  );
}

/** Returns the conditions of a pool that cannot be reconciled. The last known state of its nodes remains. */
export function problemConditions(pool: WorkerPool, { reason, message }: Problem, now: number): Condition[] {
  const update = { type: CONDITION.ready, status: 'False' as const, reason, message };
  return withCondition(pool.status?.conditions, update, now, pool.metadata?.generation);
}

function readyOf({ spec }: WorkerPool, { registration, rows, ready }: Plan): ConditionUpdate {
  const type = CONDITION.ready;
  if (registration.late === 0 && !registration.replacements)
    return {
      type,
      status: 'True',
      reason: REASON.served,
      message: `${count(ready, 'node')} can take stage pods of queue ${spec.queue}.`,
    };
  const names = rows.filter(({ registerStatus }) => registerStatus === 'Pending' || registerStatus === 'Lost');
  const who = names.length > 0 ? ` (${listed(names.map(({ node }) => node))})` : '';
  const timeout = spec.registerTimeoutSeconds ?? 900;
  const late = `${count(registration.late, 'requested node')} did not join the cluster within ${timeout} s${who}`;
  const rounds = registration.replacements
    ? `; replaced ${count(registration.replacements.count, 'time')} in a row, with growing delay`
    : '; a plain scale target cannot replace them, check the target';
  return { type, status: 'False', reason: REASON.neverRegistered, message: `${late}${rounds}.` };
}

function scalingOf({ spec }: WorkerPool, plan: Plan, waiting: number, replicas: number): ConditionUpdate {
  const { desired, awaited, rows, runningPods, placement } = plan;
  const leaving = rows.filter(({ registerStatus }) => registerStatus === 'Removing').length;
  const idle = rows.filter(({ idleSince, registerStatus }) => idleSince && registerStatus !== 'Removing').length;
  const isScalingOut = awaited > 0;
  const isScalingIn = leaving > 0 || plan.scaleIn.cordon.length > 0 || replicas > desired;
  const stuck = waiting - placement.tooLarge.length;
  const parts = [
    `${count(runningPods, 'stage pod')} running, ${waiting} waiting: ${count(desired, 'node')} needed`,
    ` (min ${spec.min}, max ${spec.max}), ${replicas} requested`,
    awaited > 0 ? `, ${awaited} joining` : '',
    idle > 0 ? `, ${idle} idle` : '',
    leaving > 0 ? `, ${leaving} being removed` : '',
    stuck > 0 && placement.used.size > 0 ? `; waiting pods fit on ${listed([...placement.used])}` : '',
  ];
  return {
    type: CONDITION.scaling,
    status: isScalingOut || isScalingIn ? 'True' : 'False',
    reason: isScalingOut ? REASON.scalingOut : isScalingIn ? REASON.scalingIn : REASON.steady,
    message: `${parts.join('')}.`,
  };
}

function limitedOf({ spec }: WorkerPool, { overMax, placement, offer }: Plan): ConditionUpdate {
  const type = CONDITION.limited;
  const [large] = placement.tooLarge;
  if (large && offer)
    return {
      type,
      status: 'True',
      reason: REASON.podTooLarge,
      message:
        `${count(placement.tooLarge.length, 'stage pod')} (such as ${large.key}) requests ${describeAmounts(large.requests)}, but ` +
        `an empty node of this pool has ${describeAmounts(offer)}. Use larger nodes.`,
    };
  if (overMax > 0)
    return {
      type,
      status: 'True',
      reason: REASON.maxReached,
      message: `${count(overMax, 'node')} more needed than spec.max (${spec.max}) allows.`,
    };
  return {
    type,
    status: 'False',
    reason: REASON.withinLimits,
    message: 'The number of nodes is between spec.min and spec.max.',
  };
}
