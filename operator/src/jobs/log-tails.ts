/** Reads the last log lines of failed pods, so that the status still shows them when the pods are gone. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { JobFacts, PodFacts } from './facts.ts';
import { newestFirst, parseTermination } from './termination.ts';

/** As many as the failures that a status holds. */
const PODS_MAX = 20;
const LINES = 40;
/** A node that does not respond must not hold up the task. */
const WAIT_MS = 3_000;

/** Returns the last failed pod of each index that failed permanently and left a termination message. */
export function podsToRead(job: JobFacts, pods: readonly PodFacts[]): PodFacts[] {
  if (job.end?.result !== 'Failed') return [];
  const last = new Map<number, PodFacts>();
  for (const pod of newestFirst(pods))
    if (pod.job === job.name && pod.phase === 'Failed' && !pod.disrupted && !last.has(pod.index))
      last.set(pod.index, pod);
  return [...last.values()].filter(({ ended }) => ended && parseTermination(ended.message)).slice(0, PODS_MAX);
}

/** Returns `pods` with the logs that could be read. */
export async function withLogs(
  client: Pick<KubeClient, 'log'>,
  job: JobFacts | undefined,
  pods: readonly PodFacts[],
  signal: AbortSignal,
): Promise<readonly PodFacts[]> {
  const wanted = job ? podsToRead(job, pods) : [];
  if (wanted.length === 0) return pods;
  const until = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]);
  const logs = new Map(
    await Promise.all(
      wanted.map(async ({ uid, name, namespace }) => {
        const log = await client.log(name, { namespace, tailLines: LINES, signal: until }).catch(() => '');
        return [uid, log] as const;
      }),
    ),
  );
  return pods.map((pod) => ({ ...pod, ...(logs.get(pod.uid) && { log: logs.get(pod.uid) as string }) }));
}
