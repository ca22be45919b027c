/** Rows whose resource is gone: with a final result on storage they are ingested, else aborted. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isNotFound } from '@seqpanel/crds/kube/errors.ts';
import { ANALYSIS_TASKS } from '@seqpanel/crds/kube/objects.ts';
import { stepDir, taskDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import type { TaskTable } from '../../db/tables/tasks.ts';
import { tellTask } from '../../live/events.ts';
import { isFile, placeIn } from '../../storage/inside-storage.ts';
import { wantIngest } from '../ingest/turns.ts';
import { isUuid } from './external-task.ts';
import { claimOf, keepTask, type TaskIdentity } from './kept-task.ts';

export interface VanishedDeps {
  db: Knex;
  kube: Pick<KubeClient, 'get'>;
  storageDir: string;
  now: () => Date;
}

/**
 * Open rows whose launch was carried out, and whose resource the cache does not hold: candidates that must be asked for.
 * `known`: uid by name.
 */
export async function missingTasks(db: Knex, known: ReadonlyMap<string, string>): Promise<string[]> {
  const rows: Pick<TaskTable, 'id' | 'uid' | 'resource_name'>[] = await db('task as t')
    .whereIn('t.status', ['queued', 'starting', 'running'])
    .where('t.vanished', false)
    .whereNotExists(db('outbox as o').whereRaw("o.object = 'AnalysisTask/' || t.id AND o.state = 'pending'"))
    .select('t.id', 't.uid', 't.resource_name');
  return rows
    .map(({ id, uid, resource_name }) => ({ name: resource_name ?? id, uid }))
    .filter(({ name, uid }) => !known.has(name) || (uid !== null && known.get(name) !== uid))
    .map(({ name }) => name);
}

/** Asks the cluster; when the row's resource is gone indeed, ends the row. True when it changed. */
export async function settleVanished(
  { db, kube, storageDir, now }: VanishedDeps,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const row: (TaskIdentity & { id: string }) | undefined = await db('task')
    .where(isUuid(name) ? { id: name } : { resource_name: name })
    .whereIn('status', ['queued', 'starting', 'running'])
    .orderBy('created', 'desc')
    .first('id', 'uid', 'status', 'external', 'launch_hash');
  if (!row) return false;
  try {
    const found = await kube.get(ANALYSIS_TASKS, name, { signal });
    if (claimOf(row, keepTask(found)) !== 'foreign') return false;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const whole = await isFile(placeIn(storageDir, taskDir(name), stepDir('report'), 'result.json'));
  return await db.transaction(async (trx) => {
    const task = await trx('task')
      .where({ id: row.id })
      .whereIn('status', ['queued', 'starting', 'running'])
      .forUpdate()
      .first('group_id', 'vanished', 'abort_requested');
    if (!task || task.vanished) return false;
    const end = whole
      ? { phase: 'Completed' }
      : { status: 'aborted' as const, finished: now(), reason: task.abort_requested ? null : 'ResourceDeleted' };
    await trx('task')
      .where({ id: row.id })
      .update({ vanished: true, ...end });
    await wantIngest(trx, row.id, now(), true);
    await tellTask(trx, { task: row.id, group: task.group_id });
    return true;
  });
}
