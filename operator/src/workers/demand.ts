/**
 * How many nodes the waiting stage pods need besides those that run some. First fit: each pod goes to the first node
 * that has room, the oldest pod first, as the scheduler takes them. Largest first would pack a little tighter, but then
 * one pod more can mean one node less, and the number would swing while a Job's pods come and go.
 */

import { type Amounts, fits, minus } from './amounts.ts';
import type { WorkerPod } from './facts.ts';

export interface Room {
  node: string;
  free: Amounts;
}

export interface Placement {
  /** Nodes that are there and get pods. */
  used: Set<string>;
  /** How many of the nodes on their way get pods. */
  arriving: number;
  /** Nodes that are needed and that nobody has asked for. */
  more: number;
  /** Pods that ask for more than an empty node has. */
  tooLarge: WorkerPod[];
  /** The node that a pod should find; none for a node that is not there yet. */
  of: Map<string, string>;
}

/**
 * `rooms` in the order in which they are to be filled, `arriving` nodes on their way, `offer` what an empty node has:
 * undefined where the pool never had one, then one node is asked for, from which the rest is learned. At most `limit`
 * more nodes are opened.
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
