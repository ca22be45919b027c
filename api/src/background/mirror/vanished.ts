/** Settles rows whose resource is gone: ingests those with a final result on storage and aborts the others. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { ignoreGone } from '@seqpanel/crds/kube/ignore-gone.ts';
import { ANALYSIS_TASKS } from '@seqpanel/crds/kube/objects.ts';
import { isObjectId } from '@seqpanel/crds/object-ids.ts';
import { stepDir, taskDir } from '@seqpanel/crds/storage.ts';
import { OPEN_STATUSES } from '@seqpanel/crds/task-status.ts';
import type { Knex } from 'knex';
import type { TaskTable } from '../../db/tables/tasks.ts';
import { notifyTask } from '../../live/events.ts';
import { isFile, placeIn } from '../../storage/inside-storage.ts';
import { RESOURCE_DELETED } from '../../tasks/reason-parts.ts';
import { wantIngest } from '../ingest/turns.ts';
import { ownershipOf, type TaskIdentity, trimForCache } from './cached-task.ts';

export interface VanishedDeps {
  db: Knex;
  kube: Pick<KubeClient, 'get'>;
  storageDir: string;
  now: () => Date;
}

/**
 * Returns open rows whose launch was carried out and whose resource is not in the cache. Each must be checked with the
 * API server. `known`: uid by name.
 */
export async function missingTasks(db: Knex, known: ReadonlyMap<string, string>): Promise<string[]> {
  const rows: Pick<TaskTable, 'id' | 'uid' | 'resource_name'>[] = await db('task as t')
    .whereIn('t.status', OPEN_STATUSES)
    .where('t.vanished', false)
    .whereNotExists(db('outbox as o').whereRaw("o.object = 'AnalysisTask/' || t.id AND o.state = 'pending'"))
    .select('t.id', 't.uid', 't.resource_name');
  return rows
    .map(({ id, uid, resource_name }) => ({ name: resource_name ?? id, uid }))
    .filter(({ name, uid }) => !known.has(name) || (uid !== null && known.get(name) !== uid))
    .map(({ name }) => name);
}

/** Ends the row if the API server confirms that its resource is gone. Returns true when the row changed. */
export async function settleVanished(
  { db, kube, storageDir, now }: VanishedDeps,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const row: (TaskIdentity & { id: string }) | undefined = await db('task')
    .where(isObjectId(name) ? { id: name } : { resource_name: name })
    .whereIn('status', OPEN_STATUSES)
    .orderBy('created', 'desc')
    .first('id', 'uid', 'status', 'external', 'launch_hash');
  if (!row) return false;
  const found = await ignoreGone(kube.get(ANALYSIS_TASKS, name, { signal }));
  if (found && ownershipOf(row, trimForCache(found)) !== 'foreign') return false;
  const whole = await isFile(placeIn(storageDir, taskDir(name), stepDir('report'), 'result.json'));
  return await db.transaction(async (trx) => {
    const task = await trx('task')
      .where({ id: row.id })
      .whereIn('status', OPEN_STATUSES)
      .forUpdate()
      .first('group_id', 'vanished', 'abort_requested');
    if (!task || task.vanished) return false;
    const end = whole
      ? { phase: 'Completed' }
      : { status: 'aborted' as const, finished: now(), reason: task.abort_requested ? null : RESOURCE_DELETED };
    await trx('task')
      .where({ id: row.id })
      .update({ vanished: true, ...end });
    await wantIngest(trx, row.id, now(), true);
    await notifyTask(trx, { task: row.id, group: task.group_id });
    return true;
  });
}
