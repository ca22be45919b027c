/** Garbage collection as in kube-controller-manager: owner references, deletion policies, TTLs, compaction. */

import type { Job, OwnerReference } from '@seqpanel/crds/kube/core-types.ts';
import { FOREGROUND, ORPHAN } from './objects/deletion.ts';
import type { Obj } from './objects/metadata.ts';
import type { Registry } from './objects/registry.ts';
import { EVENT, JOB, type ResourceType } from './objects/resources.ts';
import { ApiError } from './objects/status.ts';
import type { Change } from './objects/store.ts';

interface Node {
  type: ResourceType;
  ns: string;
  name: string;
  owners: string[];
}

/** kube-apiserver compacts versions older than five minutes and keeps events for an hour. */
const COMPACT_MS = 5 * 60_000;
const EVENT_TTL_MS = 60 * 60_000;

/** Watches every write. It acts after the commit that caused it, in its own transaction. */
export class Collector {
  readonly #registry: Registry;
  readonly #live = new Map<string, Node>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #dirty = new Set<string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #tick: NodeJS.Timeout;
  #scheduled = false;
  #stopped = false;
  #lastVersion: number;

  constructor(registry: Registry) {
    this.#registry = registry;
    for (const { kind, object } of registry.store.everything()) {
      const type = registry.types.get(kind);
      if (type && type !== EVENT) this.#observe(type, JSON.parse(object) as Obj, false);
    }
    registry.store.onCommit((changes) => {
      for (const change of changes) this.#onChange(change);
    });
    this.#lastVersion = registry.store.rv;
    this.#tick = setInterval(() => this.#compact(), COMPACT_MS);
    this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#tick);
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #onChange({ kind, object, deleted }: Change): void {
    const type = this.#registry.types.get(kind);
    if (!type || type === EVENT) return;
    this.#observe(type, JSON.parse(object) as Obj, deleted === 1);
    this.#schedule();
  }

  #observe(type: ResourceType, object: Obj, deleted: boolean): void {
    const { uid = '', namespace = '', name = '', ownerReferences = [], finalizers = [] } = object.metadata;
    const before = this.#live.get(uid);
    for (const owner of before?.owners ?? []) this.#dependents.get(owner)?.delete(uid);
    if (deleted) {
      this.#live.delete(uid);
      this.#wake(uid);
      for (const one of this.#dependents.get(uid) ?? []) this.#dirty.add(one);
      for (const owner of before?.owners ?? []) this.#dirty.add(owner);
      return;
    }
    const owners = ownerReferences.map((owner) => owner.uid);
    this.#live.set(uid, { type, ns: namespace, name, owners });
    for (const owner of owners) {
      const set = this.#dependents.get(owner) ?? new Set();
      this.#dependents.set(owner, set.add(uid));
      if (!before) this.#dirty.add(uid);
    }
    const leaving =
      object.metadata.deletionTimestamp && (finalizers.includes(ORPHAN) || finalizers.includes(FOREGROUND));
    if (leaving) this.#dirty.add(uid);
    if (type === JOB) this.#timeToLive(uid, object as Obj & Job);
  }

  #schedule(): void {
    if (this.#scheduled || this.#dirty.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#stopped) return;
      const work = [...this.#dirty];
      this.#dirty.clear();
      this.#registry.store.transaction(() => {
        for (const uid of work) this.#settle(uid);
      });
    });
  }

  #settle(uid: string): void {
    const node = this.#live.get(uid);
    const object = node && this.#registry.find(node.type, node.ns, node.name);
    if (!node || object?.metadata.uid !== uid) return;
    const { finalizers = [], deletionTimestamp } = object.metadata;
    if (deletionTimestamp && finalizers.includes(ORPHAN)) this.#orphan(object, node);
    else if (deletionTimestamp && finalizers.includes(FOREGROUND)) this.#foreground(object, node);
    else if (node.owners.length > 0) {
      const left = (object.metadata.ownerReferences ?? []).filter((owner) => this.#live.has(owner.uid));
      if (left.length === 0) this.#delete(node, 'Background');
      else if (left.length < node.owners.length) this.#setOwners(object, node, left);
    }
  }

  #setOwners(object: Obj, { type }: Node, owners: OwnerReference[]): void {
    const { ownerReferences: _before, ...metadata } = object.metadata;
    const next = owners.length > 0 ? { ...metadata, ownerReferences: owners } : metadata;
    this.#registry.put(type, object, { ...object, metadata: next });
  }

  #delete({ type, ns, name }: Node, propagationPolicy: 'Background' | 'Foreground'): void {
    const object = this.#registry.find(type, ns, name);
    if (!object || (object.metadata.deletionTimestamp && propagationPolicy === 'Background')) return;
    try {
      this.#registry.delete(type, ns, name, { propagationPolicy, preconditions: { uid: object.metadata.uid! } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #release(object: Obj, { type }: Node, finalizer: string): void {
    const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    this.#registry.put(type, object, { ...object, metadata: { ...object.metadata, finalizers } });
  }

  #orphan(object: Obj, node: Node): void {
    for (const uid of [...(this.#dependents.get(object.metadata.uid!) ?? [])]) {
      const child = this.#live.get(uid);
      const found = child && this.#registry.find(child.type, child.ns, child.name);
      if (!found) continue;
      this.#setOwners(
        found,
        child,
        (found.metadata.ownerReferences ?? []).filter((one) => one.uid !== object.metadata.uid),
      );
    }
    this.#release(object, node, ORPHAN);
  }

  #foreground(object: Obj, node: Node): void {
    const uid = object.metadata.uid!;
    const children = [...(this.#dependents.get(uid) ?? [])]
      .map((one) => this.#live.get(one))
      .filter((one) => one !== undefined);
    for (const child of children) this.#delete(child, child.type === JOB ? 'Foreground' : 'Background');
    const blocking = children.some((child) => {
      const found = this.#registry.find(child.type, child.ns, child.name);
      return found?.metadata.ownerReferences?.some((one) => one.uid === uid && one.blockOwnerDeletion);
    });
    if (!blocking) this.#release(object, node, FOREGROUND);
  }

  /** ttlSecondsAfterFinished: deletes the Job, pods first, this long after its end. */
  #timeToLive(uid: string, job: Obj & Job): void {
    const ttl = job.spec?.ttlSecondsAfterFinished;
    const end = job.status?.conditions?.find(
      ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
    );
    this.#wake(uid);
    if (ttl === undefined || !end || job.metadata.deletionTimestamp) return;
    const due =
      Date.parse(job.status?.completionTime ?? end.lastTransitionTime ?? '') + ttl * 1000 - this.#registry.now();
    // setTimeout is limited to 24.8 days; a longer TTL is checked again then.
    const timer = setTimeout(
      () => {
        const node = this.#live.get(uid);
        if (node && !this.#stopped && due <= 2 ** 31 - 1) this.#delete(node, 'Foreground');
      },
      Math.min(Math.max(due, 0), 2 ** 31 - 1),
    );
    this.#timers.set(uid, timer.unref());
  }

  #wake(uid: string): void {
    clearTimeout(this.#timers.get(uid));
    this.#timers.delete(uid);
  }

  /** Deletes events older than an hour and versions older than the last tick but one. */
  #compact(): void {
    const { store, now } = this.#registry;
    store.transaction(() => {
      for (const row of store.list(EVENT.id)) {
        const event = JSON.parse(row.object) as Obj & { lastTimestamp?: string };
        const last = Date.parse(event.lastTimestamp ?? event.metadata.creationTimestamp ?? '');
        if (last < now() - EVENT_TTL_MS) this.#registry.delete(EVENT, row.ns, row.name);
      }
    });
    store.compact(this.#lastVersion);
    this.#lastVersion = store.rv;
  }
}
