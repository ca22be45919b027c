/** Looks after every task whose results are not all in; woken by the mirror, in every replica. */

import { formatMessage } from '@seqpanel/crds/messages.ts';
import type { Logger } from 'pino';
import { tellTask } from '../live/events.ts';
import { createLoop, type Loop } from '../live/wake.ts';
import { type EndedTask, keepResults } from '../storage/keep-results.ts';
import { type IngestDeps, ingestTask } from './ingest-task.ts';

const POLL_MS = 15_000;
/** Another replica was at a part of the task. */
const BUSY_MS = 500;
/** A failed task's partial results are looked for so long after its end, and an aborted one's finished steps. */
const ENDED_FOR_MINUTES = 15;

/** `onFailure` is told of every attempt that failed, for the metrics. */
export function createIngest(deps: IngestDeps & { log: Logger; onFailure: () => void }): Loop {
  const { db, log, now, onFailure } = deps;
  /** Tasks of the last round whose finished steps are kept; a replica that starts looks again, which changes nothing. */
  let kept = new Set<string>();
  /** Before the task is shown as ended: its rerun, started at once, finds them. */
  const keep = async ({ id, group }: EndedTask, before: ReadonlySet<string>): Promise<void> => {
    try {
      if (!before.has(id)) await keepResults(deps.storageDir, { id, group }, now());
      kept.add(id);
    } catch (error) {
      // A later task computes anew: no reason to keep this one from its end.
      log.warn({ err: error, task: id }, 'The results of a task are not kept for later tasks');
    }
  };
  return createLoop({
    name: 'The ingest',
    log,
    pollMs: POLL_MS,
    work: async (signal) => {
      const since = new Date(now().getTime() - ENDED_FOR_MINUTES * 60_000);
      const rows = await db('task')
        .whereNull('ingested')
        .where((any) =>
          any
            .whereIn('status', ['starting', 'running'])
            .orWhere((queued) => queued.where({ status: 'queued' }).whereNotNull('phase'))
            .orWhere((failed) => failed.where({ status: 'failed' }).where('finished', '>', since)),
        )
        .orderBy('created')
        .select('id', 'phase', db.raw('spec->>\'group\' AS "group"'));
      const aborted = await db('task')
        .where({ status: 'aborted' })
        .where('finished', '>', since)
        .select('id', db.raw('spec->>\'group\' AS "group"'));
      const before = kept;
      kept = new Set();
      for (const task of aborted) await keep(task, before);
      let busy = false;
      for (const { id, phase, group } of rows) {
        if (signal.aborted) return undefined;
        if (phase === 'Completed' || phase === 'Failed') await keep({ id, group }, before);
        try {
          busy = (await ingestTask(deps, id)) || busy;
        } catch (error) {
          // One task's broken file must not keep the others from their results.
          onFailure();
          log.error({ err: error, task: id }, 'A task could not be ingested');
          await sayWhy(deps, id, error);
        }
      }
      return busy ? BUSY_MS : undefined;
    },
  });
}

/** A task whose last step has ended waits for its results alone: its row says what keeps them. */
async function sayWhy({ db }: IngestDeps, id: string, error: unknown): Promise<void> {
  const reason = formatMessage('ingest_failed', { reason: error instanceof Error ? error.message : String(error) });
  const [row] = await db('task')
    .where({ id, phase: 'Completed' })
    .whereNull('ingested')
    .whereRaw('reason IS DISTINCT FROM ?', [reason])
    .update({ reason })
    .returning('group_id');
  if (row) await tellTask(db, { task: id, group: row.group_id });
}
