import type { Knex } from 'knex';

/** The id that the storage root of this installation holds in a file; at most one row. */
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
