/** The events of a pool, from its previous status and the decision. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import { findCondition } from '../kube/conditions.ts';
import type { EventText } from '../kube/events.ts';
import type { WorkerPod } from './facts.ts';
import { CONDITION, listed, REASON } from './pool-conditions.ts';
import type { Plan } from './pool-plan.ts';
import type { WorkerRow } from './rows.ts';

export function scaledOut(from: number, to: number, waiting: readonly WorkerPod[], min: number): EventText {
  const [first] = waiting;
  const why = first ? `${waiting.length} stage pods are waiting (${first.key.split('/')[1]}, …)` : `spec.min is ${min}`;
  return { type: 'Normal', reason: 'ScaledOut', message: `From ${from} to ${to} nodes: ${why}` };
}

export function scaledIn(from: number, to: number, nodes: readonly string[]): EventText {
  const which = nodes.length > 0 ? `idle: ${listed(nodes)}` : 'none had joined and none is needed';
  return { type: 'Normal', reason: 'ScaledIn', message: `From ${from} to ${to} nodes, ${which}` };
}

/** A pod was bound to a node between its cordon and its removal. */
export const spared = (node: string): EventText => ({
  type: 'Normal',
  reason: 'ScaleInHeld',
  message: `Node ${node} was kept: a pod was bound to it while it was cordoned`,
});

const THERE = new Set(['Ready', 'NotReady', 'Cordoned']);

/** Returns an event for each transition between the two statuses. */
export function poolEvents(before: WorkerPool['status'], after: NonNullable<WorkerPool['status']>): EventText[] {
  return [...lostNodes(before?.workers ?? [], after.workers ?? []), ...turned(before, after)];
}

function lostNodes(before: readonly WorkerRow[], after: readonly WorkerRow[]): EventText[] {
  const now = new Map(after.map((row) => [row.node, row]));
  const was = before.filter(({ registerStatus }) => THERE.has(registerStatus ?? ''));
  const gone = was.filter(({ node, registerDate }) => {
    const row = now.get(node);
    return (
      !row || row.registerStatus === 'Lost' || (row.registerStatus !== 'Removing' && row.registerDate !== registerDate)
    );
  });
  const silent = was.filter(
    ({ node, registerStatus }) => registerStatus !== 'NotReady' && now.get(node)?.registerStatus === 'NotReady',
  );
  const eventOf = (rows: readonly WorkerRow[], what: string): EventText[] =>
    rows.length === 0
      ? []
      : [{ type: 'Warning', reason: 'NodeLost', message: `${listed(rows.map(({ node }) => node))}: ${what}` }];
  return [...eventOf(gone, 'removed from the cluster, but not by a scale-in'), ...eventOf(silent, 'no longer ready')];
}

function turned(before: WorkerPool['status'], after: NonNullable<WorkerPool['status']>): EventText[] {
  const bad: [string, 'True' | 'False'][] = [
    [CONDITION.ready, 'False'],
    [CONDITION.limited, 'True'],
  ];
  return bad.flatMap(([type, status]) => {
    const [old, now] = [findCondition(before?.conditions, type), findCondition(after.conditions, type)];
    const same = old?.status === status && old.reason === now?.reason;
    // A machine that never registered gets an event for each replacement, below.
    if (now?.status !== status || same) return [];
    return [{ type: 'Warning' as const, reason: now.reason, message: now.message }];
  });
}

/** Returns an event for each replacement round. The condition reports the late nodes before the first round. */
export function replaced({ registration }: Plan): EventText[] {
  const { replace, replacements } = registration;
  if (replace.length === 0 || !replacements) return [];
  return [
    {
      type: 'Warning',
      reason: REASON.neverRegistered,
      message: `Replaced ${listed(replace)}: did not join the cluster in time (round ${replacements.count})`,
    },
  ];
}
