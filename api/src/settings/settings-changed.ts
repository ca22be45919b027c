import type { Knex } from 'knex';

/** LISTEN channel that wakes the publishers. */
export const SETTINGS_CHANNEL = 'seqpanel_settings';

/** Notifies every replica of changed settings or weights when the transaction commits. */
export const settingsChanged = async (trx: Knex.Transaction): Promise<void> => {
  await trx.raw('SELECT pg_notify(?, ?)', [SETTINGS_CHANNEL, '']);
};
