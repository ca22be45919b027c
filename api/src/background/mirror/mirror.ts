/**
 * Follows the resources and writes their statuses to Postgres, in every replica. Writes are guarded by the revision of
 * the status, so replicas may see events in any order.
 */

import type { WorkerPool } from '@seqpanel/crds/kinds.ts';
import { type KubeObject, keyOf, type Stored, WORKER_POOLS } from '@seqpanel/crds/kube/objects.ts';
import { followConfiguration } from './followed-configuration.ts';
import { followTasks } from './followed-tasks.ts';
import { type MirrorContext, type MirrorOptions, withoutManagedFields } from './mirror-context.ts';
import { mirrorWorkerPool } from './mirror-pool.ts';
import { QueuedReflectors } from './queued-reflectors.ts';
import { missingPools, settlePool } from './vanished-pool.ts';
import { createVanishedSweep, namesIn } from './vanished-sweep.ts';

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

export function createMirror(options: MirrorOptions): Mirror {
  const running = new AbortController();
  const context = { ...options, reflectors: new QueuedReflectors(options), signal: running.signal };

  const tasks = followTasks(context);
  const configuration = followConfiguration(context);
  const pools = followPools(context);
  const reflectors = [tasks, ...configuration, pools].map(({ reflector }) => reflector);
  const sweep = createVanishedSweep(
    options.log,
    [tasks, ...configuration, pools].map(({ swept }) => swept),
  );

  return {
    synced: Promise.all(reflectors.map((reflector) => reflector.synced)),
    // Without the pools only the pool list is outdated, so the api stays ready.
    healthy: () => [tasks, ...configuration].every(({ reflector }) => reflector.healthy),
    lagMs: tasks.lagMs,
    compareAgain: (kind, object) =>
      configuration.find((followed) => followed.kind === kind)?.compareAgain(`${kind}/${keyOf(object)}`),
    run: async (signal) => {
      signal.addEventListener('abort', () => running.abort(), { once: true });
      // Not awaited: a sweep that waits for the first list ends with the process.
      void sweep.run(signal);
      await Promise.all([
        context.reflectors.queue.run(signal),
        ...reflectors.map((reflector) => reflector.run(signal)),
      ]);
    },
  };
}

function followPools(context: MirrorContext) {
  const { db, now, reflectors, signal } = context;
  const settlePoolOf = (name: string): Promise<void> => settlePool(context, name, signal);
  const reflector = reflectors.reflect<WorkerPool, Stored<WorkerPool>>(WORKER_POOLS, withoutManagedFields, {
    write: async (pool) => {
      await mirrorWorkerPool(db, pool, now());
    },
    gone: settlePoolOf,
  });
  const settle = async (): Promise<void> => {
    for (const name of await missingPools(db, namesIn(reflector))) await settlePoolOf(name);
  };
  return { reflector, swept: { reflector, isOptional: true, settle } };
}
