/** Pods on lost nodes, and completion indexes that were disrupted too often. */

import type { Action } from '../jobs/act.ts';
import type { JobFacts, PodFacts } from '../jobs/facts.ts';
import type { Input } from './input.ts';

/** Returns the completion indexes of the Job with more ignored disruptions than `most`. */
export function disruptedIndexes(job: JobFacts, pods: readonly PodFacts[], most: number): number[] {
  const counts = new Map<number, number>();
  for (const { index, disrupted, phase } of pods)
    if (disrupted && phase === 'Failed') counts.set(index, (counts.get(index) ?? 0) + 1);
  const done = new Set([...job.completed, ...job.failed]);
  return [...counts].filter(([index, count]) => count > most && !done.has(index)).map(([index]) => index);
}

/**
 * Marks pods that are being deleted on a lost node as failed by disruption, as PodGC does for nodes out of service.
 * Otherwise such a pod stays Terminating and its Job waits for it indefinitely. If the node comes back, two pods may
 * write the same result; the first rename wins.
 */
export function lostPods({ pods, notReadyNodes, now, settings }: Input): {
  actions: Action[];
  requeueAfterMs?: number;
} {
  if (!settings.markLostPods) return { actions: [] };
  const actions: Action[] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const pod of pods) {
    if (!pod.deleting || pod.phase === 'Succeeded' || pod.phase === 'Failed') continue;
    if (!pod.node || !notReadyNodes.has(pod.node)) continue;
    // deletionTimestamp includes the grace period: it is when the pod should be gone.
    const left = Date.parse(pod.deleting.since) + settings.lostPodMs - now;
    if (left <= 0) actions.push({ do: 'markPodLost', pod });
    else next = Math.min(next, left);
  }
  return Number.isFinite(next) ? { actions, requeueAfterMs: next } : { actions };
}
