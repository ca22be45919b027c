/** The reflectors of all kinds. Their changes go into one queue of writes. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import type { KubeObject, Resource, Stored } from '@seqpanel/crds/kube/objects.ts';
import type { Reflector } from '@seqpanel/crds/kube/reflector.ts';
import { WatchGroup } from '@seqpanel/crds/kube/watch-group.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { CachedTask } from './cached-task.ts';
import { tasksUpToDate } from './mirror-task.ts';
import { SWEEP_MS } from './vanished-sweep.ts';
import { createWriteQueue, type WriteQueue } from './write-queue.ts';

type Version = Pick<Stored<KubeObject>['metadata'], 'uid' | 'resourceVersion'>;

export interface Handlers<S> {
  write: (object: S, key: string) => Promise<void>;
  gone: (name: string, key: string) => Promise<void>;
  /** Set for kinds with thousands of objects after a start. */
  compared?: (object: S) => CachedTask;
  onInterrupted?: () => void;
}

const versionOf = ({ uid, resourceVersion }: Version): string => `${uid}/${resourceVersion}`;

export class QueuedReflectors {
  readonly queue: WriteQueue<CachedTask>;
  readonly #kube: Pick<KubeClient, 'list' | 'watch'>;
  readonly #log: Logger;
  readonly #group = new WatchGroup();
  /** Last written resource version by key. A resync repeats thousands of them. */
  readonly #written = new Map<string, string>();

  constructor(options: { db: Knex; kube: Pick<KubeClient, 'list' | 'watch'>; log: Logger; now: () => Date }) {
    const { db, kube, log, now } = options;
    this.#kube = kube;
    this.#log = log;
    this.queue = createWriteQueue<CachedTask>({
      name: 'mirror',
      log,
      now,
      pollMs: SWEEP_MS,
      upToDate: async (entries) => {
        const tasks = new Map(entries.map(({ key, object }) => [key, object!]));
        const known = await tasksUpToDate(db, [...tasks.values()]);
        const same = [...tasks].filter(([, { metadata }]) => known.has(metadata.uid));
        for (const [key, { metadata }] of same) this.recordWritten(key, metadata);
        return new Set(same.map(([key]) => key));
      },
    });
  }

  /** Skips this version of the object at the next resync. */
  recordWritten(key: string, metadata: Version): void {
    this.#written.set(key, versionOf(metadata));
  }

  /** Follows a kind. `keep` trims what the cache holds of an object. */
  reflect<T extends KubeObject, S extends { metadata: Stored<KubeObject>['metadata'] }>(
    resource: Resource<T>,
    keep: (object: Stored<T>) => S,
    handlers: Handlers<S>,
  ): Reflector<T, S> {
    let isListed = false;
    const reflector: Reflector<T, S> = this.#group.join<T, S>({
      client: this.#kube,
      resource,
      keep,
      onChange: ({ type, key: name, object }) => {
        const key = `${resource.kind}/${name}`;
        if (type === 'synced' && this.#written.get(key) === versionOf(object.metadata)) return;
        const isDeleted = type === 'deleted';
        if (isDeleted) this.#written.delete(key);
        const write = () => (isDeleted ? handlers.gone(object.metadata.name, key) : handlers.write(object, key));
        const compared = !isDeleted && handlers.compared?.(object);
        const isLive = isDeleted || type === 'modified' || (type === 'added' && isListed);
        this.queue.add({ key, write, ...(compared && { object: compared }) }, isLive);
      },
      onError: (error, wait) => {
        handlers.onInterrupted?.();
        this.#log.warn({ err: error, wait, resource: resource.plural }, 'watch interrupted');
      },
    });
    void reflector.synced.then(() => {
      isListed = true;
    });
    return reflector;
  }
}
