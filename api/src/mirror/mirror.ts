/**
 * Follows the resources and writes their statuses to Postgres, in every replica: writes are guarded by the status's
 * revision, so that the order in which replicas see events does not matter.
 */

import type { AnalysisTask, Genome, PanelType, Pipeline, WorkerPool } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import {
  ANALYSIS_TASKS,
  GENOMES,
  type KubeObject,
  PANEL_TYPES,
  PIPELINES,
  type Resource,
  type Stored,
  WORKER_POOLS,
} from '@seqpanel/crds/kube/objects.ts';
import { Reflector } from '@seqpanel/crds/kube/reflector.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createLoop } from '../live/wake.ts';
import { mirrorWorkerPool } from '../workers/mirror-pool.ts';
import { missingPools, settlePool } from '../workers/vanished-pool.ts';
import { forgetPipeline, mirrorGenome, mirrorPanelType, mirrorPipeline } from './configuration.ts';
import { mirrorTask } from './mirror-task.ts';
import { missingTasks, settleVanished } from './vanished.ts';

/** Rows without a resource are looked for this often. */
const SWEEP_MS = 30_000;

export interface MirrorOptions {
  db: Knex;
  kube: Pick<KubeClient, 'list' | 'watch' | 'get'>;
  storageDir: string;
  log: Logger;
  now: () => Date;
  /** Called when a task's row changed. */
  onTask: () => void;
}

export interface Mirror {
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when every kind was listed once. */
  synced: Promise<unknown>;
  healthy(): boolean;
  /** For how long, ms, a task's status may have been missing from its row; 0 while every change is written. */
  lagMs(): number;
}

export function createMirror(options: MirrorOptions): Mirror {
  const { db, kube, log, now } = options;
  /** What is to be written: the newest object of each key, or that it is gone. */
  const pending = new Map<string, () => Promise<void>>();
  /** Since when each of them waits, until it is written. */
  const waiting = new Map<string, Date>();

  const loop = createLoop({
    name: 'The mirror',
    log,
    pollMs: SWEEP_MS,
    work: async (signal) => {
      for (const key of [...pending.keys()]) {
        // The newest: it may have come while an earlier key was written.
        const write = pending.get(key)!;
        pending.delete(key);
        try {
          await write();
          if (pending.has(key)) waiting.set(key, now());
          else waiting.delete(key);
        } catch (error) {
          // Written later, unless something newer came.
          if (!pending.has(key)) pending.set(key, write);
          throw error;
        }
        if (signal.aborted) return undefined;
      }
      return pending.size > 0 ? 0 : undefined;
    },
  });
  const enqueue = (key: string, write: () => Promise<void>): void => {
    pending.set(key, write);
    if (!waiting.has(key)) waiting.set(key, now());
    loop.wake();
  };

  const reflect = <T extends KubeObject>(
    resource: Resource<T>,
    written: (object: Stored<T>) => Promise<void>,
    gone: (name: string) => Promise<void>,
  ): Reflector<T, Stored<T>> =>
    new Reflector<T, Stored<T>>({
      client: kube,
      resource,
      onChange: ({ type, key, object }) => {
        const { name } = object.metadata;
        enqueue(`${resource.kind}/${key}`, () => (type === 'deleted' ? gone(name) : written(object)));
      },
      onError: (error, wait) => {
        if (resource.kind === ANALYSIS_TASKS.kind) lostSince ??= now();
        log.warn({ err: error, wait }, `Following ${resource.plural} is interrupted`);
      },
    });

  const running = new AbortController();
  /** Since when the tasks cannot be followed; undefined while they are. */
  let lostSince: Date | undefined = now();
  const settle = async (id: string): Promise<void> => {
    if (await settleVanished(options, id, running.signal)) options.onTask();
  };
  const tasks = reflect<AnalysisTask>(
    ANALYSIS_TASKS,
    async (task) => {
      if (await mirrorTask(db, task, now())) options.onTask();
    },
    settle,
  );
  const settleWorkers = (name: string): Promise<void> => settlePool(options, name, running.signal);
  const pools = reflect<WorkerPool>(
    WORKER_POOLS,
    async (pool) => {
      await mirrorWorkerPool(db, pool, now());
    },
    settleWorkers,
  );
  const nothing = async (): Promise<void> => {};
  const reflectors = [
    tasks,
    reflect<PanelType>(PANEL_TYPES, (panel) => mirrorPanelType(db, panel, options.storageDir, now()), nothing),
    reflect<Genome>(GENOMES, (genome) => mirrorGenome(db, genome, now()), nothing),
    reflect<Pipeline>(
      PIPELINES,
      (pipeline) => mirrorPipeline(db, pipeline, now()),
      (name) => forgetPipeline(db, name, now()),
    ),
    pools,
  ];
  const sweep = createLoop({
    name: 'The search for rows without a resource',
    log,
    pollMs: SWEEP_MS,
    work: async () => {
      await tasks.synced;
      const names = (store: typeof tasks.store | typeof pools.store) =>
        new Set(store.list().map(({ metadata }) => metadata.name));
      if (tasks.healthy) for (const id of await missingTasks(db, names(tasks.store))) await settle(id);
      if (pools.healthy) for (const name of await missingPools(db, names(pools.store))) await settleWorkers(name);
      return undefined;
    },
  });

  return {
    synced: Promise.all(reflectors.map((reflector) => reflector.synced)),
    // Without the pools only their list is old: the api serves all the same.
    healthy: () => reflectors.every((reflector) => reflector === pools || reflector.healthy),
    lagMs: () => {
      if (tasks.healthy) lostSince = undefined;
      const since = [...waiting].filter(([key]) => key.startsWith(ANALYSIS_TASKS.kind)).map(([, date]) => date);
      const oldest = Math.min(...[...since, ...(lostSince ? [lostSince] : [])].map((date) => date.getTime()));
      return Number.isFinite(oldest) ? Math.max(0, now().getTime() - oldest) : 0;
    },
    run: async (signal) => {
      signal.addEventListener('abort', () => running.abort(), { once: true });
      // A sweep that waits for the first list ends with the process; nothing waits for it.
      void sweep.run(signal);
      await Promise.all([loop.run(signal), ...reflectors.map((reflector) => reflector.run(signal))]);
    },
  };
}
