/** Pods that should have ended long ago: their node does not answer, and Kubernetes waits for it for ever. */

import type { PodFacts } from '../jobs/facts.ts';
import type { Waiting } from '../jobs/waiting.ts';
import { timestamp } from '../kube/conditions.ts';
import { REASON } from './conditions.ts';
import type { Input } from './input.ts';

/** After its time limit a pod has its grace to end in, and its kubelet some time to tell of it. */
const OVERDUE_SLACK_MS = 150_000;

/**
 * The first pod that hangs, however many others run, since its sample never ends by itself. A lost pod that the operator
 * marks as failed in this round is left out. Without `timeoutMs` only pods that are being deleted are looked at.
 */
export function findHanging(
  { now, settings, notReadyNodes }: Pick<Input, 'now' | 'settings' | 'notReadyNodes'>,
  pods: readonly PodFacts[],
  timeoutMs?: number,
): Waiting {
  let next = Number.POSITIVE_INFINITY;
  for (const pod of pods) {
    if (pod.phase === 'Succeeded' || pod.phase === 'Failed') continue;
    if (settings.markLostPods && pod.node && notReadyNodes.has(pod.node)) continue;
    const hang = hangOf(pod, settings.lostPodMs, timeoutMs);
    if (!hang) continue;
    if (hang.due <= now) return { stuck: { reason: hang.reason, message: hang.message } };
    next = Math.min(next, hang.due - now);
  }
  return Number.isFinite(next) ? { lookAgainMs: next } : {};
}

function hangOf(pod: PodFacts, lostPodMs: number, timeoutMs: number | undefined) {
  const node = pod.node ? `node ${pod.node}` : 'its node';
  const whatToDo = `If ${node} is lost, make sure that the machine is off and delete the node.`;
  if (pod.deleting) {
    // deletionTimestamp already includes the grace: it is when the pod should be gone.
    const end = Date.parse(pod.deleting.since);
    const message = `Pod ${pod.name} should have ended at ${timestamp(end)} and has not. ${whatToDo}`;
    return { due: end + lostPodMs, reason: REASON.podStuckTerminating, message };
  }
  if (!pod.started || timeoutMs === undefined || pod.phase === 'Pending') return undefined;
  const end = Date.parse(pod.started) + timeoutMs;
  const message = `Pod ${pod.name} reached its time limit at ${timestamp(end)} and still runs. ${whatToDo}`;
  return { due: end + OVERDUE_SLACK_MS, reason: REASON.stepOverdue, message };
}
