/** The rows of status.workers: one per node, and one per machine that has no node. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import { timestamp } from '../kube/conditions.ts';
import type { Machine } from './facts.ts';
import type { NodeView } from './node-view.ts';

export type WorkerRow = NonNullable<NonNullable<WorkerPool['status']>['workers']>[number];

/**
 * Pending: the machine has not joined or its node was never ready. Cordoned: idle and about to be removed, or cordoned by
 * an administrator. Removing: the target's number was lowered. Lost: the machine exists but its node is gone.
 */
export type RegisterStatus = 'Pending' | 'Ready' | 'NotReady' | 'Cordoned' | 'Removing' | 'Lost';

/** Limit of the schema. */
const MOST_ROWS = 2000;

export function workerRows(
  views: readonly NodeView[],
  machines: readonly Machine[] | undefined,
  before: readonly WorkerRow[],
  now: number,
): WorkerRow[] {
  const old = new Map(before.map((row) => [row.node, row]));
  const byNode = new Map((machines ?? []).flatMap((machine) => (machine.node ? [[machine.node, machine]] : [])));
  const present = new Set(views.map(({ node }) => node.name));
  const rows = [
    ...views.map((view) => nodeRow(view, byNode.get(view.node.name), old.get(view.node.name), now)),
    ...(machines ?? [])
      .filter(({ node }) => !node || !present.has(node))
      .map((machine) => machineRow(machine, old.get(machine.node ?? machine.name), now)),
  ];
  return rows.sort((a, b) => (a.node < b.node ? -1 : 1)).slice(0, MOST_ROWS);
}

function nodeRow(view: NodeView, machine: Machine | undefined, before: WorkerRow | undefined, now: number): WorkerRow {
  const { node, stagePods, idle } = view;
  // A node with a reused name may be a different node.
  const old = before?.registerDate === node.created ? before : undefined;
  const task = stagePods.map((pod) => pod.task).sort()[0];
  const instanceId = node.providerId ?? machine?.providerId;
  const address = node.address ?? machine?.address;
  return {
    node: node.name,
    ...(instanceId && { instanceId }),
    // A plain target does not report its servers; a responding node has a running one.
    cloudStatus: machine?.phase ?? (node.ready ? 'Running' : 'Unknown'),
    ...(isPending(view, old) ? { registerStatus: 'Pending', since: node.created } : sinceWhen(stateOf(view), old, now)),
    registerDate: node.created,
    ...(address && { ipAddress: address }),
    ...(task && { task }),
    ...(idle && { idleSince: old?.idleSince ?? timestamp(now) }),
  };
}

/** A node that was ready once is no longer pending, but NotReady. */
const isPending = ({ node }: NodeView, old: WorkerRow | undefined): boolean =>
  !node.ready && !node.deleting && !node.removingAt && (!old || old.registerStatus === 'Pending');

function stateOf({ node }: NodeView): RegisterStatus {
  if (node.removingAt || node.deleting) return 'Removing';
  if (!node.ready) return 'NotReady';
  return node.cordoned ? 'Cordoned' : 'Ready';
}

function machineRow(machine: Machine, old: WorkerRow | undefined, now: number): WorkerRow {
  const state = machine.deleting ? 'Removing' : isKnown(old) ? 'Lost' : 'Pending';
  return {
    node: machine.node ?? machine.name,
    ...(machine.providerId && { instanceId: machine.providerId }),
    cloudStatus: machine.phase ?? 'Unknown',
    ...(state === 'Pending'
      ? { registerStatus: state, since: machine.created }
      : { ...sinceWhen(state, old, now), ...(old?.registerDate && { registerDate: old.registerDate }) }),
    ...(machine.address && { ipAddress: machine.address }),
  };
}

/** The row had a node before. Otherwise the machine may only be ahead of the node cache. */
const isKnown = (row: WorkerRow | undefined): boolean =>
  row?.registerDate !== undefined && row.registerStatus !== 'Pending';

const sinceWhen = (registerStatus: RegisterStatus, old: WorkerRow | undefined, now: number) => ({
  registerStatus,
  since: old?.registerStatus === registerStatus && old.since ? old.since : timestamp(now),
});
