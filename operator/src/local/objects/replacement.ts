/** The object after an update or status write: clients cannot change its identity or deletion. */

import { isDeepStrictEqual } from 'node:util';
import type { Obj } from './metadata.ts';
import { type ResourceType, subjectOf } from './resources.ts';
import type { Json } from './schema.ts';
import { conflict, invalid, invalidValue, MODIFIED } from './status.ts';

/** Throws 409 when uid or resourceVersion do not match the stored object. */
export function requireSeen(type: ResourceType, old: Obj, { metadata }: Obj): void {
  const { uid, resourceVersion } = metadata;
  if (uid && uid !== old.metadata.uid) {
    throw conflict(
      subjectOf(type, old.metadata.name),
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
    );
  }
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(subjectOf(type, old.metadata.name), MODIFIED);
  if (!resourceVersion && type.schema) {
    throw invalid(subjectOf(type, old.metadata.name, true), [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
}

/** Returns the next object; `sub` is `status` for a status write. The generation is not changed yet. */
export function replacement(type: ResourceType, old: Obj, object: Obj, sub: string): Obj {
  const kept = old.metadata;
  let next = object;
  next.metadata = {
    ...object.metadata,
    name: kept.name!,
    uid: kept.uid!,
    resourceVersion: kept.resourceVersion!,
    creationTimestamp: kept.creationTimestamp!,
    ...(kept.generateName && { generateName: kept.generateName }),
  };
  for (const field of ['generation', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    delete next.metadata[field];
    if (kept[field] !== undefined) Object.assign(next.metadata, { [field]: kept[field] });
  }
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const) {
    if (next.metadata[field] && Object.keys(next.metadata[field]).length === 0) delete next.metadata[field];
  }
  if (type.status && sub === 'status') {
    next = { ...old, ...(type.schema ? {} : { metadata: next.metadata }) };
    if (object['status'] === undefined) delete next['status'];
    else next['status'] = object['status'];
  } else if (type.status) {
    if (old['status'] === undefined) delete next['status'];
    else next['status'] = old['status'];
  }
  return next;
}

/** Reports whether anything besides metadata and status differs. */
export const isChanged = (next: Obj, old: Obj): boolean => !isDeepStrictEqual(content(next), content(old));

function content({ metadata: _m, status: _s, ...rest }: Obj): Json {
  return rest;
}
