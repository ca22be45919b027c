/** A pool's nodes with what is on them. */

import { type Amounts, minus, NOTHING, plus } from './amounts.ts';
import { isOver, type WorkerNode, type WorkerPod } from './facts.ts';

export interface NodeView {
  node: WorkerNode;
  /** Left for further pods. */
  free: Amounts;
  /** What it has for stage pods when it is empty: allocatable less the pods that stay with every node. */
  offer: Amounts;
  /** Stage pods of the queue that are not over. */
  stagePods: WorkerPod[];
  /** It holds no pod but those of DaemonSets and mirrors, and no last word that the operator has yet to read. */
  idle: boolean;
  /** Nothing but such a last word keeps it; the Job, not a pod, tells when it was read. */
  held: boolean;
}

/** `isUnread` as of facts.ts, with the Jobs at hand. */
export function viewNode(
  node: WorkerNode,
  pods: readonly WorkerPod[],
  isOurs: (pod: WorkerPod) => boolean,
  isUnread: (pod: WorkerPod) => boolean,
): NodeView {
  const present = pods.filter((pod) => !isOver(pod));
  const sum = (of: readonly WorkerPod[]): Amounts => of.reduce((total, pod) => plus(total, pod.requests), NOTHING);
  return {
    node,
    free: minus(node.allocatable, sum(present)),
    offer: minus(node.allocatable, sum(present.filter(({ daemon }) => daemon))),
    stagePods: present.filter(isOurs),
    idle: isIdle(pods, isUnread),
    held: present.every(({ daemon }) => daemon) && !isIdle(pods, isUnread),
  };
}

/** The same for the pods of a node as they were read a moment ago. */
export const isIdle = (pods: readonly WorkerPod[], isUnread: (pod: WorkerPod) => boolean): boolean =>
  !pods.some((pod) => (isOver(pod) ? isUnread(pod) : !pod.daemon));
