/** What changed, told to every replica by NOTIFY in the transaction of the change; readers fetch the rest. */

import type { Knex } from 'knex';

export const EVENTS_CHANNEL = 'seqpanel_events';

/** A task whose status, progress or results changed. */
export interface TaskEvent {
  task: string;
  group: string | null;
}

export async function tellTask(trx: Knex | Knex.Transaction, event: TaskEvent): Promise<void> {
  await trx.raw('SELECT pg_notify(?, ?)', [EVENTS_CHANNEL, JSON.stringify(event)]);
}
