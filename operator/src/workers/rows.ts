/** The lines of status.workers: one a node, and one a machine that has no node yet or no more. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import { timestamp } from '../kube/conditions.ts';
import type { Machine } from './facts.ts';
import type { NodeView } from './node-view.ts';

export type WorkerRow = NonNullable<NonNullable<WorkerPool['status']>['workers']>[number];

/**
 * Pending: a machine that has not joined, or whose node was never ready. Cordoned: idle, about to go, or taken out by an administrator. Removing: the
 * target was asked for fewer. Lost: the machine is there, its node is gone.
 */
export type RegisterStatus = 'Pending' | 'Ready' | 'NotReady' | 'Cordoned' | 'Removing' | 'Lost';

/** The schema's limit. */
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
  // A node of an old name may be another one.
  const old = before?.registerDate === node.created ? before : undefined;
  const task = stagePods.map((pod) => pod.task).sort()[0];
  const instanceId = node.providerId ?? machine?.providerId;
  const address = node.address ?? machine?.address;
  return {
    node: node.name,
    ...(instanceId && { instanceId }),
    // A plain target says nothing of its servers; a node that answers has one that runs.
    cloudStatus: machine?.phase ?? (node.ready ? 'Running' : 'Unknown'),
    ...(isPending(view, old) ? { registerStatus: 'Pending', since: node.created } : sinceWhen(stateOf(view), old, now)),
    registerDate: node.created,
    ...(address && { ipAddress: address }),
    ...(task && { task }),
    ...(idle && { idleSince: old?.idleSince ?? timestamp(now) }),
  };
}

/** Once it was ready, it is no longer new: what it lacks then is not time. */
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

/** A node of it was there; without, a machine may only be ahead of what the cache of nodes knows. */
const isKnown = (row: WorkerRow | undefined): boolean =>
  row?.registerDate !== undefined && row.registerStatus !== 'Pending';

const sinceWhen = (registerStatus: RegisterStatus, old: WorkerRow | undefined, now: number) => ({
  registerStatus,
  since: old?.registerStatus === registerStatus && old.since ? old.since : timestamp(now),
});
