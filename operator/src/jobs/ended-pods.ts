/**
 * The ended pods of an ended Job, which contain the outcome of its indexes. Jobs and pods have separate watches, so a
 * Job may end in the cache before its pods do; then the pods are read from the API server.
 */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { PODS } from '@seqpanel/crds/kube/objects.ts';
import { type JobFacts, type PodFacts, podFacts } from './facts.ts';

/** Reports whether an index of the ended Job lacks an ended pod that the outcome needs. */
export function lacksEnds(job: JobFacts, pods: readonly PodFacts[]): boolean {
  if (!job.end) return false;
  const covered = new Set(
    pods
      .filter(({ phase, disrupted }) => phase === 'Succeeded' || (phase === 'Failed' && !disrupted))
      .map((p) => p.index),
  );
  const complete = new Set(job.completed);
  // Without a failure, the pod of a single sample adds nothing to its index.
  const allMatter = job.samples.length === 0 || job.samplesPerPod > 1;
  for (let index = 0; index < job.completions; index++)
    if (!covered.has(index) && (allMatter || !complete.has(index))) return true;
  return false;
}

/** Returns `pods`, or the Job's pods from the API server when these are incomplete. */
export async function endedPods(
  client: KubeClient,
  job: JobFacts | undefined,
  pods: readonly PodFacts[],
  signal: AbortSignal,
): Promise<readonly PodFacts[]> {
  if (
    !job ||
    !lacksEnds(
      job,
      pods.filter((pod) => pod.job === job.name),
    )
  )
    return pods;
  const labelSelector = `batch.kubernetes.io/job-name=${job.name}`;
  const { items } = await client.list(PODS, { signal, namespace: job.namespace, labelSelector });
  return [...pods.filter((pod) => pod.job !== job.name), ...items.map(podFacts)];
}
