/** Actions on nodes. Each is safe to repeat; a missing node counts as done. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Pod } from '@seqpanel/crds/kube/core-types.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import { NODES, PODS, type Resource } from '@seqpanel/crds/kube/objects.ts';
import { CORDONED_AT, CORDONED_BY, REMOVING_AT, type WorkerPod, workerPod } from './facts.ts';

/** Pods of all namespaces. */
export const ALL_PODS: Resource<Pod> = { ...PODS, namespaced: false };

async function patchNode(client: KubeClient, name: string, patch: object, signal: AbortSignal): Promise<void> {
  await ignoreGone(client.patch(NODES, name, patch, { signal }));
}

export const cordon = (
  client: KubeClient,
  name: string,
  by: string,
  at: string,
  signal: AbortSignal,
): Promise<void> => {
  const annotations = { [CORDONED_BY]: by, [CORDONED_AT]: at };
  return patchNode(client, name, { metadata: { annotations }, spec: { unschedulable: true } }, signal);
};

export const uncordon = (client: KubeClient, name: string, signal: AbortSignal): Promise<void> => {
  const annotations = { [CORDONED_BY]: null, [CORDONED_AT]: null, [REMOVING_AT]: null };
  return patchNode(client, name, { metadata: { annotations }, spec: { unschedulable: null } }, signal);
};

export const markRemoving = (client: KubeClient, name: string, at: string, signal: AbortSignal): Promise<void> =>
  patchNode(client, name, { metadata: { annotations: { [REMOVING_AT]: at } } }, signal);

/** Reads the pods of a node from the API server instead of a cache. */
export async function podsNowOn(client: KubeClient, node: string, signal: AbortSignal): Promise<WorkerPod[]> {
  const { items } = await client.list(ALL_PODS, { signal, fieldSelector: `spec.nodeName=${node}` });
  return items.map(workerPod);
}
