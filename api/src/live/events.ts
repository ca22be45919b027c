/** Notifies every replica of a change, in the transaction of the change. Events name the object; readers fetch it. */

import type { Knex } from 'knex';

export const EVENTS_CHANNEL = 'seqpanel_events';

/** The status, progress or results of a task changed. */
export interface TaskEvent {
  task: string;
  group: string | null;
}

/** The numbers or workers of a worker pool changed. `workers` is its name. */
export interface WorkersEvent {
  workers: string;
}

/** The state or progress of a job changed. */
export interface JobEvent {
  job: string;
  /** Null for work on the installation. */
  group: string | null;
}

export type Event = TaskEvent | WorkersEvent | JobEvent;

export const notifyTask = (trx: Knex | Knex.Transaction, event: TaskEvent): Promise<void> => notify(trx, event);

export const notifyWorkers = (trx: Knex | Knex.Transaction, pool: string): Promise<void> =>
  notify(trx, { workers: pool });

export const notifyJob = (trx: Knex | Knex.Transaction, event: JobEvent): Promise<void> => notify(trx, event);

async function notify(trx: Knex | Knex.Transaction, event: Event): Promise<void> {
  await trx.raw('SELECT pg_notify(?, ?)', [EVENTS_CHANNEL, JSON.stringify(event)]);
}
