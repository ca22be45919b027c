/** What is kept of workers that are gone and of the pools' history. */

import type { Knex } from 'knex';

export const HISTORY_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/** Removes what is older; of a pool that is there the last sample stays, since its numbers hold until they change. */
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
