/** Metrics of the api's state, read at each scrape. The chart's alerts use these names. */

import { OPEN_STATUSES, TASK_STATUSES } from '@seqpanel/crds/task-status.ts';
import { Counter, Gauge } from 'prom-client';
import type { Deps } from '../feature.ts';
import { storageSpace } from '../storage/inside-storage.ts';

/** Space of the storage root's file system, and tasks by status. */
export function measureState({ backgroundDb: db, config, metrics, measures }: Deps): void {
  const registers = [metrics];
  const readStorage = measures.collector('storage', async () => {
    const { blocks, bavail, bsize } = await storageSpace(config.storageDir);
    size.set(blocks * bsize);
    free.set(bavail * bsize);
  });
  const size = withoutValue(
    new Gauge({
      name: 'seqpanel_storage_size_bytes',
      help: 'Size of the file system that holds the storage root, bytes.',
      registers,
      collect: readStorage,
    }),
  );
  const free = withoutValue(
    new Gauge({
      name: 'seqpanel_storage_free_bytes',
      help: 'Bytes of the storage root available to processes that are not root.',
      registers,
      collect: readStorage,
    }),
  );
  const tasks = new Gauge({
    name: 'seqpanel_tasks',
    help: 'Tasks by status, since the installation.',
    labelNames: ['status'],
    registers,
    collect: measures.collector('tasks', async () => {
      const rows = await db('task').groupBy('status').select('status').count({ n: '*' });
      const counts = new Map(rows.map(({ status, n }) => [status, Number(n)]));
      for (const status of TASK_STATUSES) tasks.set({ status }, counts.get(status) ?? 0);
    }),
  });
}

/**
 * Metrics of the traffic between database and cluster. `lagMs`: longest time that the mirror may lag behind a status.
 */
export function measureTraffic(
  { backgroundDb: db, metrics, measures, now }: Deps,
  lagMs: () => number,
): { ingestFailures: Counter } {
  const registers = [metrics];
  const secondsSince = (date: Date | null | undefined): number =>
    date ? Math.max(0, (now().getTime() - date.getTime()) / 1000) : 0;
  const readOutbox = measures.collector('outbox', async () => {
    const { rows } = await db.raw<{ rows: [{ n: number; oldest: Date | null }] }>(
      "SELECT count(*) AS n, min(created) AS oldest FROM outbox WHERE state = 'pending'",
    );
    pending.set(rows[0].n);
    oldest.set(secondsSince(rows[0].oldest));
  });
  const pending = withoutValue(
    new Gauge({
      name: 'seqpanel_api_outbox_pending',
      help: 'Intents not yet carried out.',
      registers,
      collect: readOutbox,
    }),
  );
  const oldest = withoutValue(
    new Gauge({
      name: 'seqpanel_outbox_oldest_seconds',
      help: 'Age of the oldest intent not yet carried out, seconds; 0 when there is none.',
      registers,
      collect: readOutbox,
    }),
  );
  const status = withoutValue(
    new Gauge({
      name: 'seqpanel_status_oldest_seconds',
      help:
        'How old the status of an unfinished task may be, seconds: since when statuses of the cluster are not written to ' +
        'their rows, or since when a launched task waits for its first status. 0 when all are current or none is unfinished.',
      registers,
      collect: measures.collector('status', async () => {
        const { unfinished } = (await db('task').whereIn('status', OPEN_STATUSES).count({ unfinished: '*' }).first())!;
        const silent = (await db('task as t')
          .whereIn('t.status', OPEN_STATUSES)
          .where('t.revision', '<=', 0)
          .whereNotExists(
            db('outbox as o')
              .whereRaw("o.object = 'AnalysisTask/' || t.id AND o.state = 'pending'")
              .select(db.raw('1')),
          )
          .min('t.created as oldest')
          .first()) as { oldest: Date | null } | undefined;
        status.set(Number(unfinished) === 0 ? 0 : Math.max(lagMs() / 1000, secondsSince(silent?.oldest)));
      }),
    }),
  );
  return {
    ingestFailures: new Counter({
      name: 'seqpanel_ingest_failures_total',
      help: "Failed attempts to ingest a task's results. Each is retried.",
      registers,
    }),
  };
}

/** Removes the initial 0 of a new gauge, so that alerts do not take a measure that was never read for 0. */
function withoutValue(gauge: Gauge): Gauge {
  gauge.remove();
  return gauge;
}
