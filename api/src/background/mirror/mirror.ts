/**
 * Follows the resources and writes their statuses to Postgres, in every replica. Writes are guarded by the revision of
 * the status, so replicas may see events in any order.
 */

import { correlationOf } from '@seqpanel/crds/correlation.ts';
import type { AnalysisTask, WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isNotFound } from '@seqpanel/crds/kube/errors.ts';
import {
  ANALYSIS_TASKS,
  GENOMES,
  type KubeObject,
  keyOf,
  PANEL_TYPES,
  PIPELINES,
  type Resource,
  type Stored,
  WORKER_POOLS,
} from '@seqpanel/crds/kube/objects.ts';
import type { Reflector } from '@seqpanel/crds/kube/reflector.ts';
import { WatchGroup } from '@seqpanel/crds/kube/watch-group.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { type CachedTask, trimForCache } from './cached-task.ts';
import { mirrorGenome, mirrorPanelType, mirrorPipeline } from './configuration.ts';
import { endedNames, endRow, type FollowDeps, type Followed, type FollowResult } from './follow-resource.ts';
import { genomes, panelTypes, pipelines } from './followed-kinds.ts';
import { mirrorWorkerPool } from './mirror-pool.ts';
import { mirrorTask, tasksUpToDate } from './mirror-task.ts';
import { missingTasks, settleVanished } from './vanished.ts';
import { missingPools, settlePool } from './vanished-pool.ts';
import { createVanishedSweep, namesIn, SWEEP_MS } from './vanished-sweep.ts';
import { createWriteQueue } from './write-queue.ts';

/** Delay before a resource is compared again while its row is ahead of it. */
const LATER_MS = 1_000;

export interface MirrorOptions {
  db: Knex;
  kube: Pick<KubeClient, 'list' | 'watch' | 'get'>;
  storageDir: string;
  log: Logger;
  now: () => Date;
  /** Called when the row of a task changed. */
  onTask: () => void;
}

export interface Mirror {
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when every kind was listed once. */
  synced: Promise<unknown>;
  healthy(): boolean;
  /** Age in ms of the oldest task status not yet written to its row; 0 when all are written. */
  lagMs(): number;
  /** Compares a configuration resource with its row again, for example after a conflict in the outbox. */
  compareAgain(kind: string, object: Stored<KubeObject>): void;
}

const RESOURCES = { PanelType: PANEL_TYPES, Genome: GENOMES, Pipeline: PIPELINES };

export function createMirror(options: MirrorOptions): Mirror {
  const { db, kube, log, now, storageDir } = options;
  const running = new AbortController();
  /** Last processed resource version of each task. A resync repeats thousands of them. */
  const written = new Map<string, string>();
  /** Time since which tasks cannot be watched; undefined while they can. */
  let lostSince: Date | undefined = now();

  const queue = createWriteQueue<CachedTask>({
    name: 'mirror',
    log,
    now,
    pollMs: SWEEP_MS,
    upToDate: async (entries) => {
      const known = await tasksUpToDate(
        db,
        entries.map(({ object }) => object!),
      );
      for (const { key, object } of entries)
        if (known.has(object!.metadata.uid)) written.set(key, versionOf(object!.metadata));
      return new Set(entries.filter(({ object }) => known.has(object!.metadata.uid)).map(({ key }) => key));
    },
  });
  const versionOf = ({ uid, resourceVersion }: { uid: string; resourceVersion: string }) => `${uid}/${resourceVersion}`;

  const group = new WatchGroup();
  const reflect = <T extends KubeObject, S extends { metadata: Stored<KubeObject>['metadata'] }>(
    resource: Resource<T>,
    keep: (object: Stored<T>) => S,
    handle: {
      write: (object: S, key: string) => Promise<void>;
      gone: (name: string, key: string) => Promise<void>;
      /** Set for kinds with thousands of objects after a start. */
      compared?: (object: S) => CachedTask;
    },
  ): Reflector<T, S> => {
    const reflector: Reflector<T, S> = group.join<T, S>({
      client: kube,
      resource,
      keep,
      onChange: ({ type, key: name, object }) => {
        const key = `${resource.kind}/${name}`;
        if (type === 'synced' && written.get(key) === versionOf(object.metadata)) return;
        if (type === 'deleted') written.delete(key);
        const isDeleted = type === 'deleted';
        const write = () => (isDeleted ? handle.gone(object.metadata.name, key) : handle.write(object, key));
        const compared = !isDeleted && handle.compared?.(object);
        const isLive = isDeleted || type === 'modified' || (type === 'added' && isListed);
        queue.add({ key, write, ...(compared && { object: compared }) }, isLive);
      },
      onError: (error, wait) => {
        if (resource.kind === ANALYSIS_TASKS.kind) lostSince ??= now();
        log.warn({ err: error, wait, resource: resource.plural }, 'watch interrupted');
      },
    });
    let isListed = false;
    void reflector.synced.then(() => {
      isListed = true;
    });
    return reflector;
  };

  const settle = async (name: string): Promise<void> => {
    if (await settleVanished(options, name, running.signal)) options.onTask();
  };
  const tasks = reflect<AnalysisTask, CachedTask>(ANALYSIS_TASKS, trimForCache, {
    compared: (task) => task,
    gone: settle,
    write: async (task, key) => {
      const { name, uid, annotations } = task.metadata;
      const result = await mirrorTask(db, task, now(), () => read(ANALYSIS_TASKS, name));
      written.set(key, versionOf(task.metadata));
      const about = { task: name, uid, ...correlationOf(annotations) };
      if (result === 'foreign') log.warn(about, 'resource belongs to no task, ignoring its status');
      if (result !== 'written') return;
      log.debug({ ...about, phase: task.status.phase, revision: task.status.revision }, 'status written');
      options.onTask();
    },
  });

  /** Reads the current resource. Returns undefined when it was deleted. */
  async function read<T extends KubeObject>(resource: Resource<T>, name: string): Promise<Stored<T> | undefined> {
    try {
      return await kube.get(resource, name, { signal: running.signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
  const deps: FollowDeps = { db, now, read: (kind, name) => read(RESOURCES[kind] as Resource<KubeObject>, name) };

  /**
   * Compares the newest known state of a resource with its row. While a console change is on its way to the resource,
   * compares again later with the state of that time, because the state of this event may then be outdated.
   */
  const configuration = <T extends KubeObject & { spec: object }>(
    resource: Resource<T>,
    followed: Followed<T>,
    look: (object: Stored<T>) => Promise<FollowResult>,
  ) => {
    const enqueue = (key: string): void => queue.add({ key, write: () => compare(key) }, false);
    const compare = async (key: string): Promise<void> => {
      const stored = key.slice(resource.kind.length + 1);
      const object = reflector.store.get(stored);
      const result = await (object ? look(object) : endRow(deps, followed, stored.split('/').at(-1)!));
      if (result === 'later') setTimeout(enqueue, LATER_MS, key).unref();
    };
    const reflector = reflect<T, Stored<T>>(resource, withoutManagedFields, {
      write: (_object, key) => compare(key),
      gone: (_name, key) => compare(key),
    });
    return Object.assign(reflector, { compareAgain: enqueue });
  };
  const kinds = {
    PanelType: panelTypes(deps, storageDir),
    Genome: genomes(deps),
    Pipeline: pipelines(deps),
  };
  const configured = [
    configuration(PANEL_TYPES, kinds.PanelType, (panel) => mirrorPanelType(deps, storageDir, panel)),
    configuration(GENOMES, kinds.Genome, (genome) => mirrorGenome(deps, genome)),
    configuration(PIPELINES, kinds.Pipeline, (pipeline) => mirrorPipeline(deps, pipeline)),
  ] as const;

  const settleWorkers = (name: string): Promise<void> => settlePool(options, name, running.signal);
  const pools = reflect<WorkerPool, Stored<WorkerPool>>(WORKER_POOLS, withoutManagedFields, {
    write: async (pool) => {
      await mirrorWorkerPool(db, pool, now());
    },
    gone: settleWorkers,
  });
  const reflectors = [tasks, ...configured, pools];

  const sweep = createVanishedSweep(log, [
    {
      reflector: tasks,
      settle: async () => {
        const known = new Map(tasks.store.list().map(({ metadata }) => [metadata.name, metadata.uid]));
        for (const name of await missingTasks(db, known)) await settle(name);
      },
    },
    ...Object.values(kinds).map((followed, i) => ({
      reflector: configured[i]!,
      settle: async () => {
        for (const name of await endedNames(db, followed.kind, namesIn(configured[i]!)))
          await endRow(deps, followed, name);
      },
    })),
    {
      reflector: pools,
      isOptional: true,
      settle: async () => {
        for (const name of await missingPools(db, namesIn(pools))) await settleWorkers(name);
      },
    },
  ]);

  return {
    synced: Promise.all(reflectors.map((reflector) => reflector.synced)),
    // Without the pools only the pool list is outdated, so the api stays ready.
    healthy: () => reflectors.every((reflector) => reflector === pools || reflector.healthy),
    lagMs: () => {
      if (tasks.healthy) lostSince = undefined;
      const since = [queue.oldest(ANALYSIS_TASKS.kind), lostSince].flatMap((date) => date?.getTime() ?? []);
      return since.length > 0 ? Math.max(0, now().getTime() - Math.min(...since)) : 0;
    },
    compareAgain: (kind, object) => {
      const index = Object.keys(kinds).indexOf(kind);
      configured[index]?.compareAgain(`${kind}/${keyOf(object)}`);
    },
    run: async (signal) => {
      signal.addEventListener('abort', () => running.abort(), { once: true });
      // Not awaited: a sweep that waits for the first list ends with the process.
      void sweep.run(signal);
      await Promise.all([queue.run(signal), ...reflectors.map((reflector) => reflector.run(signal))]);
    },
  };
}

function withoutManagedFields<T extends KubeObject>(object: Stored<T>): Stored<T> {
  const { managedFields: _, ...metadata } = object.metadata as Stored<T>['metadata'] & { managedFields?: unknown };
  return { ...object, metadata };
}
