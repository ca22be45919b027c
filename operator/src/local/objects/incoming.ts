/** Validates request bodies before the rules of their kind. */

import type { Obj } from './metadata.ts';
import { apiVersion, type ResourceType } from './resources.ts';
import { isObject, type Json } from './schema.ts';
import { badRequest } from './status.ts';

/** Returns the body as an object of the kind in the namespace; throws 400 for anything else. */
export function accepted(type: ResourceType, ns: string, given: unknown): Obj {
  if (!isObject(given)) throw badRequest('the object provided is not a JSON object');
  const { kind, apiVersion: version } = given as { kind?: string; apiVersion?: string };
  if (!kind) throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(given).slice(0, 200)}'`);
  if (kind !== type.kind || version !== apiVersion(type)) {
    throw badRequest(`${version}, Kind=${kind} does not match the expected ${apiVersion(type)}, Kind=${type.kind}`);
  }
  const object = structuredClone(given) as unknown as Obj;
  object.metadata = isObject(object.metadata) ? object.metadata : {};
  delete (object.metadata as Json)['managedFields'];
  delete (object.metadata as Json)['selfLink'];
  if (!type.namespaced) delete object.metadata.namespace;
  else if (object.metadata.namespace && object.metadata.namespace !== ns) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  } else object.metadata.namespace = ns;
  return object;
}

/** RFC 7386. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
}
