import type { Knex } from 'knex';

/**
 * Speeds up replacing the observations of a reanalysed specimen: without this, every sample read its panel's whole
 * history.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE INDEX observation_specimen ON observation (group_id, panel_value, specimen)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX IF EXISTS observation_specimen');
}
