/** Chooses the provider for a pool's scaleTargetRef. */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Scale } from '@seqpanel/crds/kube/core-types.ts';
import type { Resource, Stored } from '@seqpanel/crds/kube/objects.ts';
import { clusterApi, isClusterApi } from './cluster-api.ts';
import { plainScale } from './plain-scale.ts';
import type { WorkerProvider } from './provider.ts';

/** Returns `undefined` when the API server does not know the target's kind. */
export type ChooseProvider = (pool: Stored<WorkerPool>, signal: AbortSignal) => Promise<WorkerProvider | undefined>;

export function providersOn(client: KubeClient): ChooseProvider {
  /** Known kinds are cached; an unknown kind may be installed later, so it is looked up again. */
  const known = new Map<string, Resource<Scale>>();
  return async ({ metadata, spec }, signal) => {
    const { apiVersion, kind, name, namespace = metadata.namespace ?? '' } = spec.scaleTargetRef;
    const key = `${apiVersion} ${kind}`;
    const resource = known.get(key) ?? (await client.find(apiVersion, kind, signal));
    if (!resource) return undefined;
    known.set(key, resource);
    return (isClusterApi(spec.scaleTargetRef) ? clusterApi : plainScale)(client, { resource, name, namespace });
  };
}
