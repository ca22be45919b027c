/**
 * Follows the resources and writes their statuses to Postgres, in every replica: writes are guarded by the status's
 * revision, so that the order in which replicas see events does not matter.
 */

import type { AnalysisTask, Genome, PanelType, Pipeline } from '@seqpanel/crds/kinds.ts';
import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import {
  ANALYSIS_TASKS,
  GENOMES,
  type KubeObject,
  PANEL_TYPES,
  PIPELINES,
  type Resource,
  type Stored,
} from '@seqpanel/crds/kube/objects.ts';
import { Reflector } from '@seqpanel/crds/kube/reflector.ts';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createLoop } from '../live/wake.ts';
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
}

export function createMirror(options: MirrorOptions): Mirror {
  const { db, kube, log, now } = options;
  /** What is to be written: the newest object of each key, or that it is gone. */
  const pending = new Map<string, () => Promise<void>>();

  const loop = createLoop({
    name: 'The mirror',
    log,
    pollMs: SWEEP_MS,
    work: async (signal) => {
      for (const [key, write] of [...pending]) {
        pending.delete(key);
        try {
          await write();
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
      onError: (error, wait) => log.warn({ err: error, wait }, `Following ${resource.plural} is interrupted`),
    });

  const running = new AbortController();
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
  ];
  const sweep = createLoop({
    name: 'The search for tasks without a resource',
    log,
    pollMs: SWEEP_MS,
    work: async () => {
      await tasks.synced;
      if (!tasks.healthy) return undefined;
      const known = new Set(tasks.store.list().map(({ metadata }) => metadata.name));
      for (const id of await missingTasks(db, known)) await settle(id);
      return undefined;
    },
  });

  return {
    synced: Promise.all(reflectors.map((reflector) => reflector.synced)),
    healthy: () => reflectors.every((reflector) => reflector.healthy),
    run: async (signal) => {
      signal.addEventListener('abort', () => running.abort(), { once: true });
      // A sweep that waits for the first list ends with the process; nothing waits for it.
      void sweep.run(signal);
      await Promise.all([loop.run(signal), ...reflectors.map((reflector) => reflector.run(signal))]);
    },
  };
}
