/** A pool's nodes with their pods. */

import { type Amounts, minus, NOTHING, plus } from './amounts.ts';
import { isOver, type WorkerNode, type WorkerPod } from './facts.ts';

export interface NodeView {
  node: WorkerNode;
  /** Resources left for further pods. */
  free: Amounts;
  /** Resources for stage pods when the node is empty: allocatable minus the pods that stay with every node. */
  offer: Amounts;
  /** Active stage pods of the queue. */
  stagePods: WorkerPod[];
  /** The node has only pods of DaemonSets and mirrors, and no ended pod that the operator has yet to read. */
  idle: boolean;
  /** Only such an unread pod keeps the node; its Job, not the pod, shows when it was read. */
  held: boolean;
}

/** `isUnread` is that of facts.ts, with the Jobs bound. */
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

/** Reports the same for pods that were just read. */
export const isIdle = (pods: readonly WorkerPod[], isUnread: (pod: WorkerPod) => boolean): boolean =>
  !pods.some((pod) => (isOver(pod) ? isUnread(pod) : !pod.daemon));
