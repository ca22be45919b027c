import type { Knex } from 'knex';

/** Index to count open tasks at each launch, and the conditions of a pipeline from the operator. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX task_group_open ON task (group_id) WHERE status IN ('queued', 'starting', 'running');
    ALTER TABLE pipeline ADD COLUMN conditions jsonb NOT NULL DEFAULT '[]';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX IF EXISTS task_group_open; ALTER TABLE pipeline DROP COLUMN IF EXISTS conditions');
}
