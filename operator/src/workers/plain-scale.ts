/** Provider for any object with a `/scale`: sets the number, but cannot select which node is removed. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { Scale } from '@seqpanel/crds/kube/core-types.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import type { Resource } from '@seqpanel/crds/kube/objects.ts';
import type { WorkerProvider } from './provider.ts';

export interface TargetName {
  /** The resource that serves the target's kind. */
  resource: Resource<Scale>;
  name: string;
  namespace: string;
}

export function plainScale(client: KubeClient, { resource, name, namespace }: TargetName): WorkerProvider {
  return {
    read: async (signal) => {
      const scale = await ignoreGone(client.get(resource, name, { signal, namespace, subresource: 'scale' }));
      if (!scale) return undefined;
      return { replicas: scale.spec?.replicas ?? 0, version: scale.metadata.resourceVersion, settled: true };
    },
    resize: async ({ version }, replicas, signal) => {
      const patch = { metadata: { resourceVersion: version }, spec: { replicas } };
      await client.patch(resource, name, patch, { signal, namespace, subresource: 'scale' });
    },
  };
}
