import type { Knex } from 'knex';

/** A group's share of the operator's admission, and the last run of each periodic work by any replica. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE user_group ADD COLUMN weight integer NOT NULL DEFAULT 1 CHECK (weight BETWEEN 1 AND 100);

    CREATE TABLE periodic_work (
      name text PRIMARY KEY,
      done timestamptz,
      leased_by uuid,
      leased_until timestamptz
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE IF EXISTS periodic_work;
    ALTER TABLE user_group DROP COLUMN IF EXISTS weight;
  `);
}
