/** Removes old outbox rows. They are kept for a while to show what was requested of the cluster and when. */

import type { Knex } from 'knex';

export const CARRIED_OUT_DAYS = 7;
const DAY_MS = 24 * 3_600_000;

/**
 * Deletes old rows that are done or cancelled and returns their number. Failed ones stay, because their cause may be
 * needed.
 */
export async function purgeOutbox(db: Knex, now: Date): Promise<number> {
  return await db('outbox')
    .whereIn('state', ['done', 'cancelled'])
    .where('finished', '<', new Date(now.getTime() - CARRIED_OUT_DAYS * DAY_MS))
    .delete();
}
