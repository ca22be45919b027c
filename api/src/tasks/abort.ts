/** Aborts a task: cancels its launch before dispatch, else patches the resource. */

import { isEnded } from '@seqpanel/crds/task-status.ts';
import type { Knex } from 'knex';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { Conflict, NotFound } from '../errors.ts';
import { notifyTask } from '../live/events.ts';
import { enqueueIntent } from '../outbox/intent.ts';
import { isAbortable } from './task-rows.ts';

/**
 * Throws Conflict unless the task is queued or running. `groupId`: throws NotFound for a task of another group;
 * undefined allows any.
 */
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
        status: task.abort_requested && !isEnded(task.status) ? 'aborting' : task.status,
      });
    // A launch in progress, or one whose earlier attempt may have arrived, cannot be cancelled. In that case the
    // resource is aborted, in the order of the outbox. A missing resource counts as aborted.
    const cancelled = await trx.raw<{ rows: { attempts: number }[] }>(
      `UPDATE outbox SET state = 'cancelled', finished = :now WHERE id IN (
         SELECT id FROM outbox WHERE object = :object AND state = 'pending' AND intent->>'type' = 'launch'
           AND (leased_until IS NULL OR leased_until <= now()) FOR UPDATE SKIP LOCKED)
       RETURNING attempts`,
      { now, object: `AnalysisTask/${id}` },
    );
    const [before] = cancelled.rows;
    const end = before ? { status: 'aborted' as const, finished: now, reason: null } : {};
    await trx('task')
      .where({ id })
      .update({ abort_requested: true, ...end });
    if (!before || before.attempts > 0) {
      const name = task.resource_name ?? id;
      const intent = { type: 'patch', kind: 'AnalysisTask', name, patch: { spec: { abort: true } } } as const;
      const correlation = actor.requestId ? { requestId: actor.requestId } : {};
      await enqueueIntent(trx, { ...intent, correlation }, now, task.group_id);
    }
    const changes = [{ field: 'abort', from: false, to: true }];
    await writeAudit(
      trx,
      { actor, resourceType: 'task', resourceId: id, resource: task.name, action: 'update', changes },
      now,
    );
    await notifyTask(trx, { task: id, group: task.group_id });
  });
}
