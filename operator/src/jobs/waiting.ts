/** Finds out why an open Job has not progressed for some minutes. */

import type { JobFacts, PodFacts } from './facts.ts';

export interface Waiting {
  /** The obstacle, once it has lasted longer than the setting allows. */
  stuck?: { reason: string; message: string };
  /** When to check again, ms from now. */
  requeueAfterMs?: number;
}

/**
 * A Job is stuck when none of its pods runs and the oldest has been unable to start longer than the setting allows, or
 * when it has no pods at all. Pods that queue behind running ones of the same Job are expected.
 */
export function findWaiting(
  job: JobFacts,
  pods: readonly PodFacts[],
  { now, settings }: { now: number; settings: { stuckMs: number } },
): Waiting {
  const live = pods.filter(({ phase }) => phase === 'Pending' || phase === 'Running' || phase === 'Unknown');
  if (live.some(({ phase }) => phase !== 'Pending')) return {};
  const oldest = live.filter(({ waiting }) => waiting).sort((a, b) => since(a) - since(b))[0];
  const start = oldest ? since(oldest) : pods.length === 0 ? Date.parse(job.created) : undefined;
  if (start === undefined) return {};
  const left = start + settings.stuckMs - now;
  if (left > 0) return { requeueAfterMs: left };
  if (oldest?.waiting) {
    const { reason, message } = oldest.waiting;
    return { stuck: { reason, message: `pod ${oldest.name}: ${message}` } };
  }
  if (job.suspended)
    return {
      stuck: { reason: 'Suspended', message: `Job ${job.name} is suspended: its queue has not admitted it` },
    };
  return { stuck: { reason: 'NoPods', message: `Job ${job.name} has no pods; see its events` } };
}

const since = (pod: PodFacts): number => Date.parse(pod.waiting?.since ?? pod.created);
