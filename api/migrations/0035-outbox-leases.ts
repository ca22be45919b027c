import type { Knex } from 'knex';

/**
 * Intents are leased, so that no transaction is open during calls to the cluster or storage. Aborts come first, then
 * the group that was served least recently. Rows of an earlier release have no group and share a turn.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE outbox
      -- Id of a group, or '' for installation-wide configuration.
      ADD COLUMN group_key text NOT NULL DEFAULT '',
      ADD COLUMN urgent boolean NOT NULL DEFAULT false,
      ADD COLUMN leased_by uuid,
      ADD COLUMN leased_until timestamptz;
    CREATE INDEX outbox_group ON outbox (group_key, id) WHERE state = 'pending';
    CREATE INDEX outbox_urgent ON outbox (id) WHERE state = 'pending' AND urgent;

    CREATE SEQUENCE outbox_served;
    CREATE TABLE outbox_turn (
      group_key text PRIMARY KEY,
      served bigint NOT NULL DEFAULT 0
    );
    INSERT INTO outbox_turn (group_key) VALUES ('');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE IF EXISTS outbox_turn;
    DROP SEQUENCE IF EXISTS outbox_served;
    DROP INDEX IF EXISTS outbox_urgent;
    DROP INDEX IF EXISTS outbox_group;
    ALTER TABLE outbox DROP COLUMN IF EXISTS group_key, DROP COLUMN IF EXISTS urgent,
      DROP COLUMN IF EXISTS leased_by, DROP COLUMN IF EXISTS leased_until;
  `);
}
