/** Limits the open tasks of a group, because each is an object in etcd with pods that others wait for. */
import type { Knex } from 'knex';
import { AppError } from '../errors.ts';
import type { ReadSettings } from '../settings/read.ts';
import { OPEN_SQL } from '../tasks/status-sql.ts';

/**
 * Throws 429 when `more` tasks would exceed the setting. Locks the group until the transaction ends, so that parallel
 * launches are counted together.
 */
export async function checkOpenTasks(
  trx: Knex.Transaction,
  settings: ReadSettings,
  groupId: string,
  more: number,
): Promise<void> {
  const limit = await settings('open_tasks_per_group');
  if (limit === 0) return;
  await trx.raw('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [`open-tasks:${groupId}`]);
  const counted = await trx('task')
    .where({ group_id: groupId })
    .whereRaw(`status IN ${OPEN_SQL}`)
    .count({ open: '*' })
    .first();
  const open = Number(counted?.open);
  if (open + more > limit) throw new AppError(429, 'open_tasks_exceeded', { open, more, limit });
}
