/** Saves the notes of a task. */
import type { Knex } from 'knex';
import { type Actor, changesBetween, writeAudit } from '../audit/write-audit.ts';
import { withTransaction } from '../db/transaction.ts';
import { NotFound } from '../errors.ts';
import { notifyTask } from '../live/events.ts';

export async function setTaskNotes(
  db: Knex,
  groupId: string,
  id: string,
  notes: string,
  actor: Actor,
  now: Date,
): Promise<void> {
  await withTransaction(db, async (trx) => {
    const before = await trx('task').where({ id, group_id: groupId }).forUpdate().first('name', 'notes');
    if (!before) throw new NotFound();
    const changes = changesBetween({ notes: before.notes }, { notes });
    if (changes.length === 0) return;
    await trx('task').where({ id }).update({ notes });
    const entry = { actor, resourceType: 'task', resourceId: id, resource: before.name } as const;
    await writeAudit(trx, { ...entry, action: 'update', changes }, now);
    await notifyTask(trx, { task: id, group: groupId });
  });
}
