/** Abort: before dispatch the intent is cancelled, after it the resource is told (SPEC 4; DESIGN 1). */

import type { Knex } from 'knex';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { Conflict, NotFound } from '../errors.ts';
import { tellTask } from '../live/events.ts';
import { enqueueIntent } from '../outbox/intent.ts';
import { isAbortable, isFinished } from './task-rows.ts';

/** Throws Conflict unless the task is queued or running. `groupId`: NotFound for a task of another; undefined for any. */
export async function abortTask(
  db: Knex,
  groupId: string | undefined,
  id: string,
  actor: Actor,
  now: Date,
): Promise<void> {
  await db.transaction(async (trx) => {
    const task = await trx('task')
      .where({ id, ...(groupId !== undefined && { group_id: groupId }) })
      .forUpdate()
      .first();
    if (!task) throw new NotFound();
    if (!isAbortable(task))
      throw new Conflict('task_not_abortable', {
        status: task.abort_requested && !isFinished(task.status) ? 'aborting' : task.status,
      });
    // A row that the dispatcher holds is on its way: then the resource is aborted, in the order of the outbox.
    const cancelled = await trx.raw(
      `UPDATE outbox SET state = 'cancelled', finished = :now WHERE id IN (
         SELECT id FROM outbox WHERE object = :object AND state = 'pending' AND intent->>'type' = 'launch' FOR UPDATE SKIP LOCKED)
       RETURNING id`,
      { now, object: `AnalysisTask/${id}` },
    );
    const before = cancelled.rows.length > 0;
    const end = before ? { status: 'aborted', finished: now, reason: null } : {};
    await trx('task')
      .where({ id })
      .update({ abort_requested: true, ...end });
    if (!before) {
      await enqueueIntent(
        trx,
        { type: 'patch', kind: 'AnalysisTask', name: id, patch: { spec: { abort: true } } },
        now,
      );
    }
    const changes = [{ field: 'abort', from: false, to: true }];
    await writeAudit(
      trx,
      { actor, resourceType: 'task', resourceId: id, resource: task.name, action: 'update', changes },
      now,
    );
    await tellTask(trx, { task: id, group: task.group_id });
  });
}
