/**
 * The pods that say how an ended Job's indexes ended. Jobs and pods come by two watches, so the end of a Job may be
 * known before the last word of its pods is; then they are asked for.
 */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { PODS } from '@seqpanel/crds/kube/objects.ts';
import { type JobFacts, type PodFacts, podFacts } from './facts.ts';

/** True when an index of the ended Job has no ended pod although its last word is needed. */
export function lacksEnds(job: JobFacts, pods: readonly PodFacts[]): boolean {
  if (!job.end) return false;
  const told = new Set(
    pods
      .filter(({ phase, disrupted }) => phase === 'Succeeded' || (phase === 'Failed' && !disrupted))
      .map((p) => p.index),
  );
  const complete = new Set(job.completed);
  // A pod that stands for one sample says nothing that its index does not say, unless it failed.
  const allMatter = job.samples.length === 0 || job.samplesPerPod > 1;
  for (let index = 0; index < job.completions; index++)
    if (!told.has(index) && (allMatter || !complete.has(index))) return true;
  return false;
}

/** `pods`, or what the server has of the Job when these do not tell enough. */
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
