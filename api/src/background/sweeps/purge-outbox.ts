/** The outbox keeps what was carried out for a while, to tell what was asked of the cluster and when. */

import type { Knex } from 'knex';

export const CARRIED_OUT_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/** Removes old rows that are done or cancelled; a refused one stays, its cause is worth knowing. Answers how many. */
export async function purgeOutbox(db: Knex, now: Date): Promise<number> {
  return await db('outbox')
    .whereIn('state', ['done', 'cancelled'])
    .where('finished', '<', new Date(now.getTime() - CARRIED_OUT_DAYS * DAY_MS))
    .delete();
}
