/** What changed, told to every replica by NOTIFY in the transaction of the change; readers fetch the rest. */

import type { Knex } from 'knex';

export const EVENTS_CHANNEL = 'seqpanel_events';

/** A task whose status, progress or results changed. */
export interface TaskEvent {
  task: string;
  group: string | null;
}

/** A worker pool, by its name, whose numbers or workers changed. */
export interface WorkersEvent {
  workers: string;
}

export const tellTask = (trx: Knex | Knex.Transaction, event: TaskEvent): Promise<void> => tell(trx, event);

export const tellWorkers = (trx: Knex | Knex.Transaction, pool: string): Promise<void> => tell(trx, { workers: pool });

async function tell(trx: Knex | Knex.Transaction, event: TaskEvent | WorkersEvent): Promise<void> {
  await trx.raw('SELECT pg_notify(?, ?)', [EVENTS_CHANNEL, JSON.stringify(event)]);
}
