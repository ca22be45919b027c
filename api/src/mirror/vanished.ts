/** Rows whose resource is gone (DESIGN 5, Lifetimes): with a final result on storage they are ingested, else aborted. */

import type { KubeClient } from '@seqpanel/crds/kube/client.ts';
import { isNotFound } from '@seqpanel/crds/kube/errors.ts';
import { ANALYSIS_TASKS } from '@seqpanel/crds/kube/objects.ts';
import { stepDir, taskDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { tellTask } from '../live/events.ts';
import { isFile, placeIn } from '../storage/inside-storage.ts';

export interface VanishedDeps {
  db: Knex;
  kube: Pick<KubeClient, 'get'>;
  storageDir: string;
  now: () => Date;
}

/** Open rows whose launch was carried out, and which the cache does not hold: candidates that must be asked for. */
export async function missingTasks(db: Knex, known: ReadonlySet<string>): Promise<string[]> {
  const rows = await db('task as t')
    .whereIn('t.status', ['queued', 'starting', 'running'])
    .where('t.vanished', false)
    .whereNotExists(db('outbox as o').whereRaw("o.object = 'AnalysisTask/' || t.id AND o.state = 'pending'"))
    .select('t.id');
  return rows.map(({ id }) => id).filter((id) => !known.has(id));
}

/** Asks the cluster; when the resource is gone indeed, ends the row. True when it changed. */
export async function settleVanished(
  { db, kube, storageDir, now }: VanishedDeps,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await kube.get(ANALYSIS_TASKS, id, { signal });
    return false;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const whole = await isFile(placeIn(storageDir, taskDir(id), stepDir('report'), 'result.json'));
  return await db.transaction(async (trx) => {
    const task = await trx('task')
      .where({ id })
      .whereIn('status', ['queued', 'starting', 'running'])
      .forUpdate()
      .first('group_id', 'vanished', 'abort_requested');
    if (!task || task.vanished) return false;
    const end = whole
      ? { phase: 'Completed' }
      : { status: 'aborted', finished: now(), reason: task.abort_requested ? null : 'ResourceDeleted' };
    await trx('task')
      .where({ id })
      .update({ vanished: true, ...end });
    await tellTask(trx, { task: id, group: task.group_id });
    return true;
  });
}
