/** The steps of kube-apiserver between a request and its store: create, update, status, merge patch, delete. */

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type DeleteOptions, decideDeletion, requireMeant } from './deletion.ts';
import { accepted, mergePatch } from './incoming.ts';
import { generatedName, type Obj, timestamp, validateMetadata } from './metadata.ts';
import { isChanged, replacement, requireSeen } from './replacement.ts';
import { apiVersion, CRD, NAMESPACE, type ResourceType, subjectOf } from './resources.ts';
import * as status from './status.ts';
import type { Key, Store } from './store.ts';
import { strategyFor } from './strategies.ts';

/** With `strict`, unknown fields are rejected with 400; otherwise they are listed in `warnings`. */
export interface WriteOptions {
  strict?: boolean;
  warnings?: string[];
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
    if (!object) throw status.notFound(subjectOf(type, name));
    return object;
  }

  /** All live objects of a kind. */
  list(type: ResourceType, ns = ''): Obj[] {
    return this.store.list(type.id, ns).map((row) => JSON.parse(row.object) as Obj);
  }

  create(type: ResourceType, ns: string, given: Obj, options: WriteOptions = {}): Obj {
    if (type.readOnly) throw status.methodNotAllowed();
    const object = accepted(type, ns, given);
    const { metadata } = object;
    if (metadata.resourceVersion) {
      throw new status.ApiError(500, 'InternalError', 'resourceVersion should not be set on objects to be created');
    }
    if (!metadata.name && metadata.generateName) metadata.name = generatedName(metadata.generateName);
    if (type.namespaced) this.get(NAMESPACE, '', ns);
    delete metadata.deletionTimestamp;
    delete metadata.deletionGracePeriodSeconds;
    metadata.uid = randomUUID();
    metadata.creationTimestamp = timestamp(this.now());
    if (type.generation) metadata.generation = 1;
    else delete metadata.generation;
    this.#check(type, object, undefined, options);
    if (this.find(type, ns, metadata.name!)) throw status.alreadyExists(subjectOf(type, metadata.name));
    return this.#write(type, object);
  }

  update(type: ResourceType, ns: string, name: string, given: Obj, sub = '', options: WriteOptions = {}): Obj {
    if (type.readOnly) throw status.methodNotAllowed();
    const object = accepted(type, ns, given);
    if (object.metadata.name && object.metadata.name !== name) {
      throw status.badRequest(
        `the name of the object (${object.metadata.name}) does not match the name on the URL (${name})`,
      );
    }
    const old = this.get(type, ns, name);
    requireSeen(type, old, object);
    const next = replacement(type, old, object, sub);
    this.#check(type, next, old, options);
    if (type.generation && sub !== 'status' && isChanged(next, old)) {
      next.metadata.generation = (old.metadata.generation ?? 0) + 1;
    }
    return this.put(type, old, next);
  }

  /** A JSON merge patch; metadata.resourceVersion and uid in it are preconditions. */
  patch(type: ResourceType, ns: string, name: string, patch: unknown, sub = '', options: WriteOptions = {}): Obj {
    const old = this.get(type, ns, name);
    const next = mergePatch(old, patch) as Obj;
    const uid = next.metadata?.uid;
    if (uid && uid !== old.metadata.uid) {
      throw status.invalid(subjectOf(type, name, true), [status.immutable('metadata.uid', uid)]);
    }
    return this.update(type, ns, name, next, sub, options);
  }

  /** Returns the object while finalizers or a grace period keep it, else undefined. */
  delete(type: ResourceType, ns: string, name: string, options: DeleteOptions = {}): { object: Obj; gone: boolean } {
    // The only namespaces are the product's own.
    if (type.readOnly || type === NAMESPACE) throw status.methodNotAllowed();
    const old = this.get(type, ns, name);
    requireMeant(type, old, options.preconditions);
    const { object, gone } = decideDeletion(type, old, options, this.now());
    if (gone) return { object: this.#remove(type, object), gone };
    return { object: isDeepStrictEqual(old, object) ? old : this.#write(type, object), gone };
  }

  /** Writes for the server's own controllers: without validation, but with no-op and finalizer handling. */
  put(type: ResourceType, old: Obj, object: Obj): Obj {
    if (isDeepStrictEqual(old, object)) return old;
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
    if (deletionTimestamp && !deletionGracePeriodSeconds && !finalizers?.length) return this.#remove(type, object);
    return this.#write(type, object);
  }

  /** Creates or updates a CustomResourceDefinition, which clients cannot write. */
  putDefinition(definition: Obj): void {
    const name = definition.metadata.name!;
    const old = this.find(CRD, '', name);
    const fresh = { metadata: { ...definition.metadata, uid: randomUUID(), creationTimestamp: timestamp(this.now()) } };
    this.put(CRD, old ?? ({ metadata: {} } as Obj), { ...definition, metadata: old?.metadata ?? fresh.metadata });
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
    if (errors.length > 0) throw status.invalid(subjectOf(type, object.metadata.name, true), errors);
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
