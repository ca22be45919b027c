import type { Knex } from 'knex';

/** Id that this installation's storage root holds in a file. At most one row. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE storage_root (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      id uuid NOT NULL,
      created timestamptz NOT NULL
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS storage_root');
}
