/** The events of a pool, from what it was and what was decided. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import { findCondition } from '../kube/conditions.ts';
import type { EventText } from '../kube/events.ts';
import { CONDITION, listed, REASON } from './conditions.ts';
import type { WorkerPod } from './facts.ts';
import type { Plan } from './plan.ts';
import type { WorkerRow } from './rows.ts';

export function scaledOut(from: number, to: number, waiting: readonly WorkerPod[], min: number): EventText {
  const [first] = waiting;
  const why = first ? `${waiting.length} stage pods wait (${first.key.split('/')[1]}, …)` : `spec.min is ${min}`;
  return { type: 'Normal', reason: 'ScaledOut', message: `From ${from} to ${to} nodes: ${why}` };
}

export function scaledIn(from: number, to: number, nodes: readonly string[]): EventText {
  const which = nodes.length > 0 ? `idle: ${listed(nodes)}` : 'none had joined and none is needed';
  return { type: 'Normal', reason: 'ScaledIn', message: `From ${from} to ${to} nodes, ${which}` };
}

/** Something landed on a node between its cordon and its removal. */
export const spared = (node: string): EventText => ({
  type: 'Normal',
  reason: 'ScaleInHeld',
  message: `Node ${node} is kept: a pod was bound to it while it was cordoned`,
});

const THERE = new Set(['Ready', 'NotReady', 'Cordoned']);

/** What the status tells by differing from the one before, once per transition. */
export function poolStory(before: WorkerPool['status'], after: NonNullable<WorkerPool['status']>): EventText[] {
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
  const tell = (rows: readonly WorkerRow[], what: string): EventText[] =>
    rows.length === 0
      ? []
      : [{ type: 'Warning', reason: 'NodeLost', message: `${listed(rows.map(({ node }) => node))}: ${what}` }];
  return [...tell(gone, 'gone from the cluster, though no scale-in took it away'), ...tell(silent, 'no longer ready')];
}

function turned(before: WorkerPool['status'], after: NonNullable<WorkerPool['status']>): EventText[] {
  const bad: [string, 'True' | 'False'][] = [
    [CONDITION.ready, 'False'],
    [CONDITION.limited, 'True'],
  ];
  return bad.flatMap(([type, status]) => {
    const [old, now] = [findCondition(before?.conditions, type), findCondition(after.conditions, type)];
    const same = old?.status === status && old.reason === now?.reason;
    // A machine that never registered is told of at each replacement, below.
    if (now?.status !== status || same) return [];
    return [{ type: 'Warning' as const, reason: now.reason, message: now.message }];
  });
}

/** Told at every round of replacement; the first of a row of them is the condition's own event. */
export function replaced({ registration }: Plan): EventText[] {
  const { replace, replacements } = registration;
  if (replace.length === 0 || !replacements) return [];
  return [
    {
      type: 'Warning',
      reason: REASON.neverRegistered,
      message: `Replaced ${listed(replace)}: not in the cluster in time (round ${replacements.count})`,
    },
  ];
}
