/** What kube-apiserver does between a request and its store: create, update, status, merge patch, delete. */

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { generatedName, type Obj, validateMetadata } from './metadata.ts';
import { apiVersion, CRD, NAMESPACE, type ResourceType } from './resources.ts';
import { isObject, type Json } from './schema.ts';
import * as status from './status.ts';
import type { Key, Store } from './store.ts';
import { strategyFor } from './strategies.ts';

/** DeleteOptions. */
export interface DeleteOptions {
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** Of a write: `strict` refuses unknown fields with 400; otherwise they land in `warnings`. */
export interface WriteOptions {
  strict?: boolean;
  warnings?: string[];
}

export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** RFC 3339 in whole seconds, as metav1.Time is written. */
export const timestamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

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

export class Registry {
  readonly store: Store;
  readonly types = new Map<string, ResourceType>();
  readonly now: () => number;

  constructor(store: Store, types: ResourceType[], now: () => number = Date.now) {
    this.store = store;
    this.now = now;
    for (const type of types) this.types.set(type.id, type);
  }

  find(type: ResourceType, ns: string, name: string): Obj | undefined {
    const row = this.store.get({ kind: type.id, ns: type.namespaced ? ns : '', name });
    return row && (JSON.parse(row.object) as Obj);
  }

  /** Throws 404. */
  get(type: ResourceType, ns: string, name: string): Obj {
    const object = this.find(type, ns, name);
    if (!object) throw status.notFound(subject(type, name));
    return object;
  }

  /** All live objects of a kind. */
  list(type: ResourceType, ns = ''): Obj[] {
    return this.store.list(type.id, ns).map((row) => JSON.parse(row.object) as Obj);
  }

  create(type: ResourceType, ns: string, given: Obj, options: WriteOptions = {}): Obj {
    if (type.readOnly) throw status.methodNotAllowed();
    const object = this.#accept(type, ns, given);
    const { metadata } = object;
    if (metadata.resourceVersion) {
      throw new status.ApiError(500, 'InternalError', 'resourceVersion should not be set on objects to be created');
    }
    if (!metadata.name && metadata.generateName) metadata.name = generatedName(metadata.generateName);
    if (type.namespaced) this.#requireNamespace(type, ns, metadata.name ?? '');
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    metadata.uid = randomUUID();
    metadata.creationTimestamp = timestamp(this.now());
    if (type.generation) metadata.generation = 1;
    else delete metadata.generation;
    this.#check(type, object, undefined, options);
    if (this.find(type, ns, metadata.name!)) throw status.alreadyExists(subject(type, metadata.name));
    return this.#write(type, object);
  }

  update(type: ResourceType, ns: string, name: string, given: Obj, sub = '', options: WriteOptions = {}): Obj {
    if (type.readOnly) throw status.methodNotAllowed();
    const object = this.#accept(type, ns, given);
    if (object.metadata.name && object.metadata.name !== name) {
      throw status.badRequest(
        `the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`,
      );
    }
    const old = this.get(type, ns, name);
    const { uid, resourceVersion } = object.metadata;
    if (uid && uid !== old.metadata.uid) {
      throw status.conflict(
        subject(type, name),
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
      );
    }
    if (resourceVersion && resourceVersion !== old.metadata.resourceVersion)
      throw status.conflict(subject(type, name), status.MODIFIED);
    if (!resourceVersion && type.schema) {
      throw status.invalid(subject(type, name, true), [
        status.invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    return this.#replace(type, old, object, sub, options);
  }

  /** A JSON merge patch; metadata.resourceVersion and uid in it are preconditions. */
  patch(type: ResourceType, ns: string, name: string, patch: unknown, sub = '', options: WriteOptions = {}): Obj {
    const old = this.get(type, ns, name);
    const next = mergePatch(old, patch) as Obj;
    const uid = next.metadata?.uid;
    if (uid && uid !== old.metadata.uid) {
      throw status.invalid(subject(type, name, true), [status.immutable('metadata.uid', uid)]);
    }
    return this.update(type, ns, name, next, sub, options);
  }

  /** Gives the object when it is still there (finalizers, grace), else undefined. */
  delete(type: ResourceType, ns: string, name: string, options: DeleteOptions = {}): { object: Obj; gone: boolean } {
    if (type.readOnly) throw status.methodNotAllowed();
    const old = this.get(type, ns, name);
    this.#precondition(type, old, options.preconditions);
    const metadata = { ...old.metadata };
    const object: Obj = { ...old, metadata };
    const grace = type.kind === 'Pod' ? podGrace(old, options.gracePeriodSeconds) : 0;
    const policy = options.propagationPolicy ?? strategyFor(type).deletePolicy;
    const finalizers = (metadata.finalizers ?? []).filter((one) => one !== ORPHAN && one !== FOREGROUND);
    if (policy === 'Orphan') finalizers.push(ORPHAN);
    if (policy === 'Foreground') finalizers.push(FOREGROUND);
    if (!metadata.deletionTimestamp) {
      metadata.finalizers = finalizers;
      if (metadata.generation) metadata.generation++;
    } else if (options.propagationPolicy) metadata.finalizers = finalizers;
    if (metadata.finalizers?.length === 0) delete metadata.finalizers;
    if (!metadata.finalizers && grace === 0 && type !== NAMESPACE)
      return { object: this.#remove(type, object), gone: true };
    if (!metadata.deletionTimestamp || grace < (metadata.deletionGracePeriodSeconds ?? 0)) {
      metadata.deletionTimestamp = timestamp(this.now() + grace * 1000);
      metadata.deletionGracePeriodSeconds = grace;
    }
    if (type === NAMESPACE) object['status'] = { phase: 'Terminating' };
    return { object: isDeepStrictEqual(old, object) ? old : this.#write(type, object), gone: false };
  }

  /** A write of the server's own controllers: no rules, but no-op and finalizer handling as ever. */
  put(type: ResourceType, old: Obj, object: Obj): Obj {
    if (isDeepStrictEqual(old, object)) return old;
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
    if (deletionTimestamp && !deletionGracePeriodSeconds && !finalizers?.length && type !== NAMESPACE)
      return this.#remove(type, object);
    return this.#write(type, object);
  }

  /** Makes or renews a CustomResourceDefinition, the one kind that clients cannot write. */
  putDefinition(definition: Obj): void {
    const name = definition.metadata.name!;
    const old = this.find(CRD, '', name);
    const fresh = { metadata: { ...definition.metadata, uid: randomUUID(), creationTimestamp: timestamp(this.now()) } };
    this.put(CRD, old ?? ({ metadata: {} } as Obj), { ...definition, metadata: old?.metadata ?? fresh.metadata });
  }

  /** Takes the last step of a namespace's deletion. */
  removeNamespace(object: Obj): void {
    this.#remove(NAMESPACE, object);
  }

  #accept(type: ResourceType, ns: string, given: unknown): Obj {
    if (!isObject(given)) throw status.badRequest('the object provided is not a JSON object');
    const { kind, apiVersion: version } = given as { kind?: string; apiVersion?: string };
    if (!kind) throw status.badRequest(`Object 'Kind' is missing in '${JSON.stringify(given).slice(0, 200)}'`);
    if (kind !== type.kind || version !== apiVersion(type)) {
      throw status.badRequest(
        `${version}, Kind=${kind} does not match the expected ${apiVersion(type)}, Kind=${type.kind}`,
      );
    }
    const object = structuredClone(given) as unknown as Obj;
    object.metadata = isObject(object.metadata) ? object.metadata : {};
    delete (object.metadata as Json)['managedFields'];
    delete (object.metadata as Json)['selfLink'];
    if (!type.namespaced) delete object.metadata.namespace;
    else if (object.metadata.namespace && object.metadata.namespace !== ns) {
      throw status.badRequest('the namespace of the provided object does not match the namespace sent on the request');
    } else object.metadata.namespace = ns;
    return object;
  }

  #replace(type: ResourceType, old: Obj, object: Obj, sub: string, options: WriteOptions): Obj {
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
    this.#check(type, next, old, options);
    if (type.generation && sub !== 'status' && !isDeepStrictEqual(content(next), content(old))) {
      next.metadata.generation = (kept.generation ?? 0) + 1;
    }
    return this.put(type, old, next);
  }

  #check(type: ResourceType, object: Obj, old: Obj | undefined, options: WriteOptions): void {
    const strategy = strategyFor(type);
    const unknown = strategy.prepare(object, old, type);
    if (unknown.length > 0 && options.strict) {
      const list = unknown.map((path) => `unknown field "${path}"`).join(', ');
      throw status.badRequest(
        `${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: strict decoding error: ${list}`,
      );
    }
    options.warnings?.push(...unknown.map((path) => `unknown field "${path}"`));
    const errors = [...validateMetadata(type, object, old), ...strategy.validate(object, old, type)];
    if (errors.length > 0) throw status.invalid(subject(type, object.metadata.name, true), errors);
  }

  #requireNamespace(type: ResourceType, ns: string, name: string): void {
    const namespace = this.get(NAMESPACE, '', ns);
    if (!namespace.metadata.deletionTimestamp) return;
    const error = status.forbidden(
      subject(type, name),
      `unable to create new content in namespace ${ns} because it is being terminated`,
    );
    const cause = {
      reason: 'NamespaceTerminating',
      message: `namespace ${ns} is being terminated`,
      field: 'metadata.namespace',
    };
    Object.assign(error.body['details'] as Json, { causes: [cause] });
    throw error;
  }

  #precondition(type: ResourceType, old: Obj, given: DeleteOptions['preconditions']): void {
    const { uid, resourceVersion } = old.metadata;
    if (given?.uid && given.uid !== uid) {
      throw status.conflict(
        subject(type, old.metadata.name),
        `the UID in the precondition (${given.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      );
    }
    if (given?.resourceVersion && given.resourceVersion !== resourceVersion) {
      throw status.conflict(
        subject(type, old.metadata.name),
        `the ResourceVersion in the precondition (${given.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
      );
    }
  }

  #write(type: ResourceType, object: Obj): Obj {
    this.store.append(keyOf(type, object), false, (rv) => render(type, object, rv));
    return object;
  }

  #remove(type: ResourceType, object: Obj): Obj {
    this.store.append(keyOf(type, object), true, (rv) => render(type, object, rv));
    return object;
  }
}

const subject = (type: ResourceType, name?: string, byKind = false): status.StatusSubject => ({
  group: type.group,
  kind: byKind ? type.kind : type.plural,
  ...(name && { name }),
});

const keyOf = (type: ResourceType, { metadata }: Obj): Key => ({
  kind: type.id,
  ns: type.namespaced ? metadata.namespace! : '',
  name: metadata.name!,
});

function render(type: ResourceType, object: Obj, rv: number): string {
  object.metadata.resourceVersion = String(rv);
  const { apiVersion: _v, kind: _k, metadata, ...rest } = object;
  return JSON.stringify({ apiVersion: apiVersion(type), kind: type.kind, metadata, ...rest });
}

function content({ metadata: _m, status: _s, ...rest }: Obj): Json {
  return rest;
}

/** Seconds a pod is given; 0 when nothing can be running any more. */
function podGrace(pod: Obj, asked: number | undefined): number {
  const spec = pod['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number };
  const phase = (pod['status'] as { phase?: string } | undefined)?.phase;
  if (!spec.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  const grace = asked ?? spec.terminationGracePeriodSeconds ?? 30;
  return pod.metadata.deletionTimestamp ? Math.min(grace, pod.metadata.deletionGracePeriodSeconds ?? grace) : grace;
}
