import type { Knex } from 'knex';

/** Which state of its resource each configuration row equals, and when the resource was deleted. */
export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES)
    await knex.raw(`
      ALTER TABLE ${table}
        ADD COLUMN resource_uid text,
        ADD COLUMN resource_generation bigint,
        ADD COLUMN resource_version text,
        ADD COLUMN resource_deleted timestamptz
    `);
}

const TABLES = ['panel_type', 'genome', 'pipeline'];

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES)
    await knex.raw(`
      ALTER TABLE ${table} DROP COLUMN IF EXISTS resource_uid, DROP COLUMN IF EXISTS resource_generation,
        DROP COLUMN IF EXISTS resource_version, DROP COLUMN IF EXISTS resource_deleted
    `);
}
