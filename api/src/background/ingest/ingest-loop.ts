/**
 * Ingests every task with missing results, several at a time per replica; replicas share them by leases. A task is
 * ingested when its status changes. After a failure the wait grows with each attempt.
 */

import { backoffMs } from '@seqpanel/crds/kube/backoff.ts';
import { formatMessage } from '@seqpanel/crds/messages.ts';
import { isEnded } from '@seqpanel/crds/task-status.ts';
import type { Logger } from 'pino';
import { notifyTask } from '../../live/events.ts';
import type { Loop } from '../../live/wake.ts';
import { keepResults } from '../../storage/keep-results.ts';
import { createLoops } from '../several-loops.ts';
import { type IngestDeps, ingestTask } from './ingest-task.ts';
import { measureOutputs } from './measure-outputs.ts';
import { taskFolder } from './part.ts';
import { endTurn, nextTurnMs, renewTurn, restTurn, retryTurn, TURN_SECONDS, type Turn, takeTurn } from './turns.ts';

const POLL_MS = 5_000;
const MIN_REST_MS = 50;
/** Tasks ingested in parallel by one process. Each holds a database connection while it writes a part. */
const AT_ONCE = 3;
/** Wait when another process was writing a part of the task. */
const BUSY_MS = 500;
/** Wait for results that the status reports and a file server does not show yet. */
const MISSING_MS = 5_000;
/** A running task is ingested at this interval even without a status change, in case an event was missed. */
const QUIET_MS = 10 * 60_000;
const RETRY = { baseMs: 5_000, maxMs: 15 * 60_000 };

/** `onFailure` is called for every failed attempt, for the metrics. */
export type IngestOptions = IngestDeps & { log: Logger; onFailure: () => void };

export function createIngest(options: IngestOptions): Loop {
  return createLoops(AT_ONCE, {
    name: 'ingest',
    log: options.log,
    pollMs: POLL_MS,
    work: async (signal) => {
      while (!signal.aborted && (await ingestOne(options)));
      const wait = await nextTurnMs(options.db, options.now());
      return wait === undefined ? undefined : Math.max(MIN_REST_MS, wait);
    },
  });
}

/** Ingests the next due task. Returns false when there is none. */
export async function ingestOne(options: IngestOptions): Promise<boolean> {
  const { db, log, now, onFailure } = options;
  const turn = await takeTurn(db, now());
  if (!turn) return false;
  const renew = setInterval(() => void renewTurn(db, turn).catch(() => {}), (TURN_SECONDS * 1000) / 3);
  const later = (ms: number): Date => new Date(now().getTime() + ms);
  try {
    const outcome = await work(options, turn);
    if (outcome === 'over') await endTurn(db, turn, now());
    else if (outcome.busy) await retryTurn(db, turn, later(BUSY_MS), 0);
    else await restTurn(db, turn, now(), later(outcome.missing ? MISSING_MS : QUIET_MS));
  } catch (error) {
    // A broken file of one task must not delay the results of other tasks.
    onFailure();
    const attempts = turn.attempts + 1;
    const wait = backoffMs(attempts, RETRY);
    const ids = await db('task').where({ id: turn.task }).first('request_id', 'traceparent');
    const about = { task: turn.task, requestId: ids?.request_id, traceparent: ids?.traceparent };
    log.error({ err: error, ...about, attempts, wait }, 'ingest failed, retrying');
    await recordIngestError(options, turn.task, error);
    await retryTurn(db, turn, later(wait), attempts);
  } finally {
    clearInterval(renew);
  }
  return true;
}

interface TurnTask {
  id: string;
  status: string;
  phase: string | null;
  resource_name: string | null;
  group: string | null;
  group_id: string | null;
  external: boolean;
  ingested: string | null;
  partial_ingested: Date | null;
  output_bytes: number | null;
  request_id: string | null;
  traceparent: string | null;
}

async function work(options: IngestOptions, turn: Turn): Promise<'over' | { busy: boolean; missing: boolean }> {
  const { db, storageDir, now, log } = options;
  const task: TurnTask | undefined = await db('task')
    .where({ id: turn.task })
    .first(
      ...[
        'id',
        'status',
        'phase',
        'resource_name',
        'group_id',
        'external',
        'ingested',
        'partial_ingested',
        'output_bytes',
      ],
      ...['request_id', 'traceparent', db.raw('spec->>\'group\' AS "group"')],
    );
  if (!task) return 'over';
  const about = { task: task.id, requestId: task.request_id, traceparent: task.traceparent };
  const folder = taskFolder(storageDir, task);
  /** Keeps results for later tasks of the group before the task ends, so that a rerun started right away finds them. */
  const keep = async (): Promise<number> => {
    // A task made with kubectl can claim any group, so its claim is checked.
    if (task.group !== null && (!task.external || task.group_id !== null))
      await keepResults(storageDir, { id: task.resource_name ?? task.id, group: task.group }, now()).catch((error) =>
        // Only costs later tasks time, so it does not stop this one.
        log.warn({ err: error, ...about }, 'results not kept for later tasks'),
      );
    return await measureOutputs(folder);
  };
  const isFailed = task.status === 'failed' && task.phase === 'Failed';
  const isOver = isEnded(task.status);
  if (isOver && (!isFailed || task.partial_ingested)) {
    if (task.output_bytes === null)
      await db('task')
        .where({ id: task.id })
        .update({ output_bytes: await keep() });
    return 'over';
  }
  const outcome = await ingestTask({ ...options, beforeEnd: keep }, task.id);
  if (outcome.busy) return outcome;
  if (isFailed) {
    const bytes = await keep();
    await db('task').where({ id: task.id }).update({ partial_ingested: now(), output_bytes: bytes });
  }
  if (!isFailed && task.phase !== 'Completed') return outcome;
  log.info(about, 'results ingested');
  return 'over';
}

/** Records the error in the row of a task whose last step has ended, because only ingest delays it. */
async function recordIngestError({ db }: IngestDeps, id: string, error: unknown): Promise<void> {
  const reason = formatMessage('ingest_failed', { reason: reasonOf(error) });
  const [row] = await db('task')
    .where({ id, phase: 'Completed' })
    .whereNull('ingested')
    .whereRaw('reason IS DISTINCT FROM ?', [reason])
    .update({ reason })
    .returning('group_id');
  if (row) await notifyTask(db, { task: id, group: row.group_id });
}

/** Members read the reason. A database error is replaced, because it contains the written values. */
function reasonOf(error: unknown): string {
  const isOfDatabase = typeof (error as { severity?: unknown } | undefined)?.severity === 'string';
  if (isOfDatabase) return 'the database did not accept them; the log of the api says why';
  return error instanceof Error ? error.message : String(error);
}
