import type { Knex } from 'knex';

/** Changed settings. Those without a row have their default. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE setting (
      name text PRIMARY KEY,
      value jsonb NOT NULL,
      modified timestamptz NOT NULL
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS setting');
}
