/** Status writes: with an optimistic lock, and none at all when nothing changed. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { KubeObject, Resource, Stored } from '@seqpanel/crds/kube/objects.ts';
import { sameJson } from './same-json.ts';

/**
 * Writes the status if it differs; answers the object as stored, or undefined when there was nothing to write. Throws
 * Conflict when the object was changed since `object` was read: whoever called decides anew from what is there then.
 *
 * It is put, not patched, and nothing else is sent along: of a write to the subresource the API server takes the status
 * alone, whereas a patch is worked out on the whole object, which with 384 samples costs it twice the time.
 */
export async function writeStatus<T extends KubeObject & { status?: object }>(
  client: KubeClient,
  resource: Resource<T>,
  object: Stored<T>,
  status: object,
  signal: AbortSignal,
): Promise<Stored<T> | undefined> {
  if (sameJson(object.status, status)) return undefined;
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const statusAlone = {
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { name, uid, resourceVersion },
    status,
  };
  return client.update<KubeObject>(resource, statusAlone, {
    signal,
    subresource: 'status',
    ...(namespace !== undefined && { namespace }),
  }) as Promise<Stored<T>>;
}
