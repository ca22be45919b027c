/**
 * Computes how many nodes the waiting stage pods need beyond the nodes in use. First fit: each pod goes to the first node
 * with room, oldest pod first, like the scheduler. Largest first would pack slightly tighter, but an additional pod could
 * then reduce the number of nodes, and the number would oscillate while a Job's pods come and go.
 */

import { type Amounts, fits, minus } from './amounts.ts';
import type { WorkerPod } from './facts.ts';

export interface Room {
  node: string;
  free: Amounts;
}

export interface Placement {
  /** Existing nodes that get pods. */
  used: Set<string>;
  /** Number of joining nodes that get pods. */
  arriving: number;
  /** Number of nodes needed beyond those requested. */
  more: number;
  /** Pods that request more than an empty node has. */
  tooLarge: WorkerPod[];
  /** The node where each pod fits; missing for nodes that do not exist yet. */
  of: Map<string, string>;
}

/**
 * Fills `rooms` in their order, then `arriving` nodes, each with the room `offer` of an empty node. An undefined `offer`
 * means that the pool never had a node; then one node is requested to learn it. Opens at most `limit` more nodes.
 */
export function place(
  waiting: readonly WorkerPod[],
  rooms: readonly Room[],
  arriving: number,
  offer: Amounts | undefined,
  limit: number,
): Placement {
  const placement: Placement = { used: new Set(), arriving: 0, more: 0, tooLarge: [], of: new Map() };
  const free = rooms.map((room) => room.free);
  const fresh: Amounts[] = [];
  for (const pod of inSchedulingOrder(waiting)) {
    const at = free.findIndex((room) => fits(pod.requests, room));
    const room = rooms[at];
    if (room) {
      free[at] = minus(free[at]!, pod.requests);
      placement.used.add(room.node);
      placement.of.set(pod.key, room.node);
      continue;
    }
    if (!offer) {
      if (fresh.length === 0) fresh.push(pod.requests);
      continue;
    }
    const opened = fresh.findIndex((left) => fits(pod.requests, left));
    if (opened >= 0) fresh[opened] = minus(fresh[opened]!, pod.requests);
    else if (!fits(pod.requests, offer)) placement.tooLarge.push(pod);
    else if (fresh.length < arriving + limit) fresh.push(minus(offer, pod.requests));
  }
  placement.arriving = Math.min(arriving, fresh.length);
  placement.more = fresh.length - placement.arriving;
  return placement;
}

const inSchedulingOrder = (pods: readonly WorkerPod[]): WorkerPod[] =>
  [...pods].sort((a, b) => compare(a.created, b.created) || compare(a.key, b.key));

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
