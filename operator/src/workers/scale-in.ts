/**
 * Decides which nodes to cordon, uncordon or remove. Removing a node takes three rounds: it was idle long enough and
 * is cordoned; some seconds later, when the scheduler and the machine controllers know, it is still idle; then, after
 * the reconciler has read its pods again, the number is lowered. Before the last step, new work uncordons the node.
 * After it the progress of the removal is unknown, so the node stays cordoned until it is deleted or has survived.
 */

import type { NodeView } from './node-view.ts';

/** Time for the scheduler and other controllers to see a cordon and a mark, and to finish what they began before. */
export const SETTLE_MS = 5_000;
/**
 * A node that still exists this long after the number was lowered, and that the number allows, has survived. A machine
 * shows its deletion; a plain target does not, and a server may take minutes to stop.
 */
export const REMOVAL_MS = { machines: 60_000, plain: 300_000 };

export interface ScaleInInput {
  /** Key of the pool; it undoes only its own cordons. */
  key: string;
  views: readonly NodeView[];
  /** Nodes where waiting pods fit. */
  used: ReadonlySet<string>;
  /** Some waiting pod needs a node that does not exist yet. */
  needsMore: boolean;
  idleSince: ReadonlyMap<string, number>;
  /** When a node's machine was selected; undefined where the target cannot select machines. */
  markedAt: ReadonlyMap<string, number> | undefined;
  /** All marked machines, by node name or, without a node, by machine name; others may have marked some. */
  marked: readonly string[];
  replicas: number;
  min: number;
  idleMs: number;
  /** The target has as many nodes or machines as requested and replaces none. */
  still: boolean;
  now: number;
}

export interface ScaleIn {
  cordon: string[];
  uncordon: string[];
  /** Nodes to remove now by lowering the number by as many (down to min where none can be selected). */
  remove: string[];
  /** When the next of these steps is due, if known. */
  dueAt?: number;
}

export function scaleIn(input: ScaleInInput): ScaleIn {
  const { views, key } = input;
  const staying = views.filter(({ node }) => !node.removingAt && !node.deleting);
  const victims = input.markedAt ? chosenVictims(input, staying) : allOrNone(input, staying);
  const ours = views.filter(({ node }) => node.cordoned && node.cordonedBy === key);
  const survived = ours.filter((view) => hasSurvived(input, view));
  const wanted = ours.filter((view) => !view.node.removingAt && !victims.includes(view));
  const due = victims.filter((view) => cordonSettledAt(input, view) <= input.now);
  // The target may remove any marked machine first, so the number is lowered only for all of them together.
  const dueNames = new Set(due.map(nameOf));
  const complete = input.markedAt ? input.marked.every((name) => dueNames.has(name)) : due.length === victims.length;
  const remove = input.still && complete ? due : [];
  // One batch at a time, or nodes that become idle one by one would delay each other. Nothing is marked while the
  // target still has to remove earlier marked machines.
  const begun = input.markedAt !== undefined && victims.some(({ node }) => node.cordoned);
  const batch = begun ? victims.filter(({ node }) => node.cordoned) : victims;
  const times = [
    ...victims.filter((view) => !due.includes(view)).map((view) => cordonSettledAt(input, view)),
    ...staying.filter((view) => isSpare(input, view)).map(({ node }) => idleUntil(input, node.name)),
    ...ours.flatMap(({ node }) => (node.removingAt ? [survivedAt(input, node.removingAt)] : [])),
  ].filter((at) => at > input.now && Number.isFinite(at));
  return {
    cordon: input.still ? batch.filter(({ node }) => !node.cordoned || needsMark(input, node.name)).map(nameOf) : [],
    uncordon: [...wanted, ...survived].map(nameOf),
    remove: remove.map(nameOf),
    ...(times.length > 0 && { dueAt: Math.min(...times) }),
  };
}

const nameOf = ({ node }: NodeView): string => node.name;

/** Idle, and no waiting pod fits there. */
const isSpare = ({ used }: ScaleInInput, { node, idle, stagePods }: NodeView): boolean =>
  idle && stagePods.length === 0 && !used.has(node.name);

const idleUntil = ({ idleSince, idleMs, now }: ScaleInInput, node: string): number =>
  (idleSince.get(node) ?? now) + idleMs;

/** Idle long enough, and not cordoned by someone else. */
const mayGo = (input: ScaleInInput, view: NodeView): boolean =>
  isSpare(input, view) &&
  idleUntil(input, view.node.name) <= input.now &&
  (!view.node.cordoned || view.node.cordonedBy === input.key);

/** Cordoned nodes first, then the longest idle, never below min. */
function chosenVictims(input: ScaleInInput, staying: readonly NodeView[]): NodeView[] {
  const order = ({ node }: NodeView): [number, number] => [
    node.cordonedBy ? 0 : 1,
    input.idleSince.get(node.name) ?? input.now,
  ];
  return staying
    .filter((view) => mayGo(input, view) && input.markedAt!.has(view.node.name))
    .map((view) => ({ view, order: order(view) }))
    .sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1])
    .slice(0, Math.max(0, input.replicas - input.min))
    .map(({ view }) => view);
}

/** Where nodes cannot be selected, all must be idle, because any of them may be removed. */
function allOrNone(input: ScaleInInput, staying: readonly NodeView[]): NodeView[] {
  const { views, needsMore, replicas, min } = input;
  if (needsMore || replicas <= min || !views.every(({ idle }) => idle)) return [];
  const idle = (view: NodeView): boolean =>
    mayGo(input, view) || (isSpare(input, view) && view.node.cordoned && view.node.cordonedBy !== input.key);
  return staying.every(idle) ? [...staying] : [];
}

const needsMark = ({ markedAt }: ScaleInInput, node: string): boolean => markedAt?.get(node) === NEVER;

/** Due time of a machine that is not selected yet. */
export const NEVER = Number.POSITIVE_INFINITY;

/** When both its cordon and its machine's mark are old enough. */
function cordonSettledAt({ markedAt }: ScaleInInput, { node }: NodeView): number {
  if (!node.cordoned) return NEVER;
  // Another cordon has no time of ours; it existed when the pool was found idle.
  const cordoned = node.cordonedAt ? Date.parse(node.cordonedAt) : 0;
  return Math.max(cordoned, markedAt?.get(node.name) ?? 0) + SETTLE_MS;
}

const survivedAt = ({ markedAt }: ScaleInInput, removingAt: string): number =>
  Date.parse(removingAt) + (markedAt ? REMOVAL_MS.machines : REMOVAL_MS.plain);

const hasSurvived = (input: ScaleInInput, { node }: NodeView): boolean =>
  node.removingAt !== undefined &&
  !node.deleting &&
  survivedAt(input, node.removingAt) <= input.now &&
  input.views.length <= input.replicas;
