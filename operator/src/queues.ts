/** The queues of the operator: made in one way, worked on together, their rounds timed, their failures counted and told. */

import { isConflict } from '@seqpanel/crds/kube/errors.ts';
import type { Logger } from 'pino';
import { KindNotKnown } from './jobs/act.ts';
import { NotLeader } from './kube/fenced-client.ts';
import { WorkQueue, type WorkQueueOptions, type WorkResult } from './kube/queue.ts';
import type { Metrics } from './metrics.ts';

interface Places extends Pick<WorkQueueOptions, 'concurrency' | 'laterConcurrency'> {
  /** Fields of the log lines about a key. */
  fieldsOf?: (key: string) => object;
}

export interface Queues {
  /** Makes a queue whose keys are worked on once `run` is called. */
  queue(kind: string, reconcile: (key: string, signal: AbortSignal) => Promise<WorkResult>, places?: Places): WorkQueue;
  /** How many keys wait, by kind. */
  depths(): Map<string, number>;
  /** Resolves when the signal has fired and the work under way has ended. */
  run(signal: AbortSignal): Promise<unknown>;
}

export function createQueues({ log, metrics }: { log: Logger; metrics: Metrics }): Queues {
  const queues = new Map<string, WorkQueue>();
  return {
    queue: (kind, reconcile, { fieldsOf, ...places } = { concurrency: 2 }) => {
      const made = new WorkQueue({
        ...places,
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
          // Everyday life: a conflict is the optimistic lock at work, who leads no more ends, a new kind is soon known.
          if (isConflict(err) || err instanceof NotLeader || err instanceof KindNotKnown)
            log.debug({ key, waitMs, ...fieldsOf?.(key) }, `${kind} is left for the next round`);
          else log.error({ err, key, waitMs, ...fieldsOf?.(key) }, `Reconciling ${kind} failed; it is repeated`);
        },
      });
      queues.set(kind, made);
      return made;
    },
    depths: () => new Map([...queues].map(([kind, { depth }]) => [kind, depth])),
    run: (signal) => Promise.all([...queues.values()].map((each) => each.run(signal))),
  };
}
