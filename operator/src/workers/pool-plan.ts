/** Decides the next actions for one pool. Pure. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import { findCondition } from '../kube/conditions.ts';
import { type Amounts, allocatableOf, least } from './amounts.ts';
import { type Placement, place } from './demand.ts';
import type { Machine, WorkerPod } from './facts.ts';
import type { NodeView } from './node-view.ts';
import { type Registration, registration } from './registration.ts';
import { type WorkerRow, workerRows } from './rows.ts';
import { NEVER, type ScaleIn, scaleIn } from './scale-in.ts';

export interface PlanInput {
  /** namespace/name of the pool. */
  key: string;
  spec: Pick<WorkerPool['spec'], 'min' | 'max' | 'idleSeconds' | 'registerTimeoutSeconds'>;
  before: WorkerPool['status'];
  /** Number that the target currently has. */
  replicas: number;
  /** Absent for a target that does not list its machines. */
  machines?: readonly Machine[];
  /** The target is not replacing machines. */
  settled: boolean;
  views: readonly NodeView[];
  /** Stage pods of the queue without a node. */
  waiting: readonly WorkerPod[];
  now: number;
}

export interface Plan {
  /** Nodes that pending and running stage pods need, between min and max. */
  desired: number;
  /** The target's new number, when more nodes are needed. */
  scaleOut?: number;
  /** Nodes to remove now and the resulting number; never together with scaleOut. */
  scaleIn: ScaleIn & { replicas: number };
  registration: Registration;
  rows: WorkerRow[];
  ready: number;
  /** Nodes requested that have not joined. */
  awaited: number;
  runningPods: number;
  placement: Placement;
  /** Nodes that waiting pods need beyond max. */
  overMax: number;
  offer: Amounts | undefined;
  /** Something is in progress that no watch reports, so the target and its machines must be read again soon. */
  moving: boolean;
  /** When the next action is due without any change, ms. */
  dueAt?: number;
}

/** Nodes that one round may request; placing thousands of pods then takes some ten milliseconds. */
const MOST_AT_ONCE = 1000;
const IDLE_SECONDS = 600;
const REGISTER_TIMEOUT_SECONDS = 900;
const MOVING = new Set(['Pending', 'Removing', 'Lost', 'NotReady']);

export function plan(input: PlanInput): Plan {
  const { spec, before, replicas, machines, views, waiting, now } = input;
  const rows = workerRows(views, machines, before?.workers ?? [], now);
  const staying = views.filter(({ node }) => !node.removingAt && !node.deleting);
  const lost = rows.filter(({ registerStatus }) => registerStatus === 'Lost').length;
  const pending = new Set(rows.flatMap(({ node, registerStatus }) => (registerStatus === 'Pending' ? [node] : [])));
  const joined = staying.filter(({ node }) => !pending.has(node.name));
  const awaited = Math.max(0, replicas - joined.length - lost);
  const offer = offerOf(staying, before);
  const placement = place(waiting, roomsIn(input, staying), awaited, offer, MOST_AT_ONCE);

  const busy = views.filter(({ stagePods }) => stagePods.length > 0).map(({ node }) => node.name);
  const needed = new Set([...busy, ...placement.used]).size + placement.arriving + placement.more;
  const desired = Math.min(spec.max, Math.max(spec.min, needed));
  // A number over max, from someone else or an older max, is lowered only as nodes become idle.
  const most = Math.max(replicas, spec.max);
  const scaleOut = Math.min(most, Math.max(replicas + placement.more, spec.min));

  const going = takeAway(input, rows, placement);
  const newest = Math.max(0, ...joined.map(({ node }) => Date.parse(node.created)));
  const registered = registration({
    rows,
    awaited: awaited + lost,
    awaitedSince: awaitedSince(before, now),
    hasMachines: machines !== undefined,
    timeoutMs: (spec.registerTimeoutSeconds ?? REGISTER_TIMEOUT_SECONDS) * 1000,
    before: before?.replacements,
    newest,
    now,
  });
  const due = [going.dueAt, registered.dueAt].filter((at) => at !== undefined);
  return {
    desired,
    ...(scaleOut > replicas && { scaleOut }),
    scaleIn: scaleOut > replicas ? { ...going, remove: [], replicas } : going,
    registration: registered,
    rows,
    ready: staying.filter(({ node }) => node.ready && !node.cordoned).length,
    awaited: Math.max(0, Math.max(scaleOut, replicas) - joined.length),
    runningPods: views.reduce((sum, { stagePods }) => sum + stagePods.length, 0),
    placement,
    overMax: Math.max(0, replicas + placement.more - most),
    offer,
    moving:
      awaited > 0 ||
      rows.some(({ registerStatus }) => MOVING.has(registerStatus ?? '')) ||
      views.some(({ node, held }) => held || node.cordonedBy === input.key) ||
      (machines !== undefined && machines.length !== replicas),
    ...(due.length > 0 && { dueAt: Math.min(...due) }),
  };
}

/** Where waiting pods fit now: busy nodes first, so that others stay idle, then nodes that this pool cordoned. */
function roomsIn({ key }: PlanInput, staying: readonly NodeView[]) {
  const rank = ({ node, idle }: NodeView): number => (node.cordoned ? 2 : idle ? 1 : 0);
  return staying
    .filter(({ node }) => node.ready && (!node.cordoned || node.cordonedBy === key))
    .map((view) => ({ node: view.node.name, free: view.free, rank: rank(view) }))
    .sort((a, b) => a.rank - b.rank || (a.node < b.node ? -1 : 1));
}

/** The minimum that the ready nodes have for stage pods; without ready nodes, the remembered value. */
function offerOf(staying: readonly NodeView[], before: WorkerPool['status']): Amounts | undefined {
  const ready = staying.filter(({ node }) => node.ready).map(({ offer }) => offer);
  if (ready.length > 0) return ready.reduce(least);
  return before?.nodeOffer && allocatableOf(before.nodeOffer);
}

/** Since when a target without machines lacks nodes: the last change of the number, or when this was first seen. */
function awaitedSince(before: WorkerPool['status'], now: number): number {
  const scaling = findCondition(before?.conditions, 'Scaling');
  const seen = scaling?.status === 'True' ? Date.parse(scaling.lastTransitionTime) : now;
  return Math.max(seen, before?.lastScaleTime ? Date.parse(before.lastScaleTime) : 0);
}

function takeAway(input: PlanInput, rows: readonly WorkerRow[], placement: Placement) {
  const { key, spec, before, machines, views, replicas, now } = input;
  const idleMs = (spec.idleSeconds ?? IDLE_SECONDS) * 1000;
  const needsMore = placement.arriving + placement.more > 0;
  const ends = scaleIn({
    key,
    views,
    used: placement.used,
    needsMore,
    idleSince: new Map(rows.flatMap(({ node, idleSince }) => (idleSince ? [[node, Date.parse(idleSince)]] : []))),
    markedAt: machines && marks(machines),
    marked: (machines ?? [])
      .filter(({ deleting, markedAt }) => !deleting && markedAt !== undefined)
      .map(({ node, name }) => node ?? name),
    replicas,
    min: spec.min,
    idleMs,
    still: !machines || (input.settled && machines.filter(({ deleting }) => !deleting).length === replicas),
    now,
  });
  if (machines) return { ...ends, replicas: replicas - ends.remove.length };
  // Nodes that never joined and that nobody needs can be cancelled without selecting any.
  const unwanted = views.length === 0 && !needsMore && replicas > spec.min;
  const unwantedAt = awaitedSince(before, now) + idleMs;
  if (unwanted && unwantedAt <= now) return { ...ends, replicas: spec.min };
  const dueAt = unwanted ? Math.min(unwantedAt, ends.dueAt ?? NEVER) : ends.dueAt;
  return { ...ends, ...(dueAt !== undefined && { dueAt }), replicas: ends.remove.length > 0 ? spec.min : replicas };
}

const marks = (machines: readonly Machine[]): Map<string, number> =>
  new Map(
    machines.flatMap(({ node, deleting, markedAt }) =>
      node && !deleting ? [[node, markedAt === undefined ? NEVER : Date.parse(markedAt) || 0]] : [],
    ),
  );
