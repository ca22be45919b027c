/** The conditions of a WorkerPool: whether it works, whether its number moves and why it is what it is, what limits it. */

import type { Condition, WorkerPool } from '@seqpanel/crds/kinds.ts';
import { type ConditionUpdate, withCondition } from '../kube/conditions.ts';
import { describeAmounts } from './amounts.ts';
import type { Plan } from './plan.ts';

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

/** Names in one text; more are counted. */
const MOST_NAMES = 5;

export const listed = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** `replicas`: what the target is asked for after this round. */
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

/** A pool that cannot be worked on says why; what it last knew of its nodes stays. */
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
  const late = `${count(registration.late, 'node')} asked for did not join the cluster within ${timeout} s${who}`;
  const rounds = registration.replacements
    ? `; replaced ${count(registration.replacements.count, 'time')} in a row, the next time later`
    : '; over a plain scale none can be replaced: look at the target';
  return { type, status: 'False', reason: REASON.neverRegistered, message: `${late}${rounds}.` };
}

function scalingOf({ spec }: WorkerPool, plan: Plan, waiting: number, replicas: number): ConditionUpdate {
  const { desired, awaited, rows, runningPods, placement } = plan;
  const leaving = rows.filter(({ registerStatus }) => registerStatus === 'Removing').length;
  const idle = rows.filter(({ idleSince, registerStatus }) => idleSince && registerStatus !== 'Removing').length;
  const ingOut = awaited > 0;
  const ingIn = leaving > 0 || plan.scaleIn.cordon.length > 0 || replicas > desired;
  const stuck = waiting - placement.tooLarge.length;
  const parts = [
    `${count(runningPods, 'stage pod')} run and ${waiting} wait: ${count(desired, 'node')} wanted`,
    ` (min ${spec.min}, max ${spec.max}), ${replicas} asked for`,
    awaited > 0 ? `, ${awaited} on the way` : '',
    idle > 0 ? `, ${idle} idle` : '',
    leaving > 0 ? `, ${leaving} being taken away` : '',
    stuck > 0 && placement.used.size > 0 ? `; waiting pods should find room on ${listed([...placement.used])}` : '',
  ];
  return {
    type: CONDITION.scaling,
    status: ingOut || ingIn ? 'True' : 'False',
    reason: ingOut ? REASON.scalingOut : ingIn ? REASON.scalingIn : REASON.steady,
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
        `${count(placement.tooLarge.length, 'stage pod')} (${large.key}) asks for ${describeAmounts(large.requests)}, ` +
        `an empty node of this pool has ${describeAmounts(offer)}: no number of nodes helps.`,
    };
  if (overMax > 0)
    return {
      type,
      status: 'True',
      reason: REASON.maxReached,
      message: `${count(overMax, 'node')} more would be needed than spec.max (${spec.max}) allows.`,
    };
  return { type, status: 'False', reason: REASON.withinLimits, message: 'Between spec.min and spec.max.' };
}
