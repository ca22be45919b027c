/** Finds pods that outlive their deletion or time limit, because their node does not respond. */

import { REASON } from '@seqpanel/crds/task-conditions.ts';
import type { PodFacts } from '../jobs/facts.ts';
import type { Waiting } from '../jobs/waiting.ts';
import { timestamp } from '../kube/conditions.ts';
import type { Input } from './input.ts';

/** Slack after the time limit for the pod's grace period and the kubelet's report. */
const OVERDUE_SLACK_MS = 150_000;

/**
 * Returns the first hanging pod, even if others run, because its sample would never finish. Skips lost pods that the
 * operator marks as failed in this round. Without `timeoutMs`, checks only pods that are being deleted.
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
  return Number.isFinite(next) ? { requeueAfterMs: next } : {};
}

function hangOf(pod: PodFacts, lostPodMs: number, timeoutMs: number | undefined) {
  const node = pod.node ? `node ${pod.node}` : 'its node';
  const remedy = `If ${node} is lost, make sure that the machine is off and delete the node.`;
  if (pod.deleting) {
    // deletionTimestamp includes the grace period: it is when the pod should be gone.
    const end = Date.parse(pod.deleting.since);
    const message = `Pod ${pod.name} was due to end at ${timestamp(end)} but is still terminating. ${remedy}`;
    return { due: end + lostPodMs, reason: REASON.podStuckTerminating, message };
  }
  if (!pod.started || timeoutMs === undefined || pod.phase === 'Pending') return undefined;
  const end = Date.parse(pod.started) + timeoutMs;
  const message = `Pod ${pod.name} reached its time limit at ${timestamp(end)} but is still running. ${remedy}`;
  return { due: end + OVERDUE_SLACK_MS, reason: REASON.stepOverdue, message };
}
