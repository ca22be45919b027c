/** The operator's work queues: they time each reconcile and count and log each failure. */

import { isConflict } from '@seqpanel/crds/kube/errors.ts';
import type { Logger } from 'pino';
import { KindNotKnown } from './jobs/act.ts';
import { NotLeader } from './kube/fenced-client.ts';
import { WorkQueue, type WorkQueueOptions, type WorkResult } from './kube/queue.ts';
import type { Metrics } from './metrics.ts';

interface QueueSettings extends Pick<WorkQueueOptions, 'concurrency' | 'laterConcurrency'> {
  /** Log fields for a key. */
  fieldsOf?: (key: string) => object;
}

export interface Queues {
  /** Creates a queue. Its keys are reconciled once `run` is called. */
  queue(
    kind: string,
    reconcile: (key: string, signal: AbortSignal) => Promise<WorkResult>,
    settings?: QueueSettings,
  ): WorkQueue;
  /** Number of waiting keys by kind. */
  depths(): Map<string, number>;
  /** Resolves when the signal has fired and work in progress has finished. */
  run(signal: AbortSignal): Promise<unknown>;
}

export function createQueues({ log, metrics }: { log: Logger; metrics: Metrics }): Queues {
  const queues = new Map<string, WorkQueue>();
  return {
    queue: (kind, reconcile, { fieldsOf, ...settings } = { concurrency: 2 }) => {
      const made = new WorkQueue({
        ...settings,
        work: async (key, signal) => {
          const stop = metrics.reconcileSeconds.startTimer({ kind });
          try {
            return await reconcile(key, signal);
          } finally {
            stop();
          }
        },
        onError: (key, err, waitMs) => {
          metrics.reconcileErrors.inc({ kind, error: (err as Error).name });
          // Expected: a conflict, lost leadership, or a CRD that is not established yet.
          if (isConflict(err) || err instanceof NotLeader || err instanceof KindNotKnown)
            log.debug({ kind, key, waitMs, ...fieldsOf?.(key) }, 'reconcile deferred');
          else log.error({ err, kind, key, waitMs, ...fieldsOf?.(key) }, 'reconcile failed, retrying');
        },
      });
      queues.set(kind, made);
      return made;
    },
    depths: () => new Map([...queues].map(([kind, { depth }]) => [kind, depth])),
    run: (signal) => Promise.all([...queues.values()].map((each) => each.run(signal))),
  };
}
