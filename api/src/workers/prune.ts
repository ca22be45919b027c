/** Removes old rows of gone workers and old samples of pools. */

import type { Knex } from 'knex';

export const HISTORY_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/** Keeps the last sample of an existing pool, because its numbers hold until they change. */
export async function pruneWorkers(db: Knex, now: Date): Promise<void> {
  const before = new Date(now.getTime() - HISTORY_DAYS * DAY_MS);
  await db('worker').where('gone', '<', before).delete();
  await db('worker_pool').where('gone', '<', before).delete();
  await db('worker_pool_sample as s')
    .where('at', '<', before)
    .whereExists(
      db('worker_pool_sample as later').whereRaw('later.pool_id = s.pool_id AND later.at > s.at').select(db.raw('1')),
    )
    .delete();
}
