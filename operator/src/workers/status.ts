/** The status of a pool after a round, and whether to write it immediately. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { timestamp } from '../kube/conditions.ts';
import { sameJson } from '../kube/same-json.ts';
import { quantitiesOf } from './amounts.ts';
import { planConditions } from './pool-conditions.ts';
import type { Plan } from './pool-plan.ts';

export type PoolStatus = NonNullable<WorkerPool['status']>;

export function planStatus(
  { pool, plan, waiting, replicas }: { pool: Stored<WorkerPool>; plan: Plan; waiting: number; replicas: number },
  now: number,
): PoolStatus {
  const { generation } = pool.metadata;
  const lastScaleTime = plan.scaleOut === undefined ? pool.status?.lastScaleTime : timestamp(now);
  const { replacements } = plan.registration;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    desired: plan.desired,
    ready: plan.ready,
    pendingPods: waiting,
    runningPods: plan.runningPods,
    ...(lastScaleTime && { lastScaleTime }),
    ...(plan.offer && { nodeOffer: quantitiesOf(plan.offer) }),
    ...(replacements && { replacements }),
    // Recorded before the removal, so that the missing node does not count as lost.
    workers: plan.rows.map((row) =>
      plan.scaleIn.remove.includes(row.node) ? { ...row, registerStatus: 'Removing', since: timestamp(now) } : row,
    ),
    conditions: planConditions(pool, plan, waiting, replicas, now),
  };
}

/** Pods change many times a second; only changes that others act on are written immediately. */
export function isUrgent(before: PoolStatus | undefined, after: PoolStatus): boolean {
  const cut = (status: PoolStatus | undefined) => ({
    ...status,
    pendingPods: 0,
    runningPods: 0,
    workers: status?.workers?.map(({ node, registerStatus, registerDate }) => [node, registerStatus, registerDate]),
    conditions: status?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
  });
  return !sameJson(cut(before), cut(after));
}
