/** The end of the log of pods that failed, for who reads the status when the pods are gone. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { JobFacts, PodFacts } from './facts.ts';
import { newestFirst, parseTermination } from './termination.ts';

/** A status keeps so many failures. */
const PODS_MAX = 20;
const LINES = 40;
/** A node that does not answer must not hold up the task. */
const WAIT_MS = 3_000;

/** The pods whose log is to be read: the last failed one of each index that failed for good and said why itself. */
export function podsToRead(job: JobFacts, pods: readonly PodFacts[]): PodFacts[] {
  if (job.end?.result !== 'Failed') return [];
  const last = new Map<number, PodFacts>();
  for (const pod of newestFirst(pods))
    if (pod.job === job.name && pod.phase === 'Failed' && !pod.disrupted && !last.has(pod.index))
      last.set(pod.index, pod);
  return [...last.values()].filter(({ ended }) => ended && parseTermination(ended.message)).slice(0, PODS_MAX);
}

/** `pods` with the logs that could be read. */
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
