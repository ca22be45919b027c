/** Status writes: the smallest merge patch with an optimistic lock, and none at all when nothing changed. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { KubeObject, Resource, Stored } from '@seqpanel/crds/kube/objects.ts';

/**
 * The merge patch (RFC 7386) that turns `from` into `to`; undefined when they are equal. Lists are replaced whole, a
 * missing or undefined field of `to` becomes null.
 */
export function mergePatch(from: object | undefined, to: object): Record<string, unknown> | undefined {
  const patch: Record<string, unknown> = {};
  const old = (from ?? {}) as Record<string, unknown>;
  const next = to as Record<string, unknown>;
  for (const key of new Set([...Object.keys(old), ...Object.keys(next)])) {
    const [a, b] = [old[key], next[key]];
    if (b === undefined) {
      if (a !== undefined) patch[key] = null;
    } else if (isPlain(a) && isPlain(b)) {
      const inner = mergePatch(a, b);
      if (inner) patch[key] = inner;
    } else if (!sameJson(a, b)) patch[key] = b;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True when two values are the same JSON; an undefined field counts as none. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((entry, i) => sameJson(entry, b[i]));
  return isPlain(a) && isPlain(b) ? mergePatch(a, b) === undefined : a === b;
}

/**
 * Writes the status if it differs; answers the object as stored, or undefined when there was nothing to write. Throws
 * Conflict when the object was changed since `object` was read: whoever called decides anew from what is there then.
 */
export async function patchStatus<T extends KubeObject & { status?: object }>(
  client: KubeClient,
  resource: Resource<T>,
  object: Stored<T>,
  status: object,
  signal: AbortSignal,
): Promise<Stored<T> | undefined> {
  const patch = mergePatch(object.status, status);
  if (!patch) return undefined;
  const { name, namespace, resourceVersion } = object.metadata;
  return client.patch(
    resource,
    name,
    { metadata: { resourceVersion }, status: patch },
    { signal, subresource: 'status', ...(namespace !== undefined && { namespace }) },
  );
}
