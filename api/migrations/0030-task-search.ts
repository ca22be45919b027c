import type { Knex } from 'knex';

/**
 * Trigram indexes to find parts of names and ids, and an index to list all tasks by date. Runs without a transaction,
 * because indexes built CONCURRENTLY do not block launches. Drops an index of an interrupted run first.
 */
export const config = { transaction: false };

const INDEXES: readonly (readonly [name: string, definition: string])[] = [
  ['task_name_part', 'task USING gin (name gin_trgm_ops)'],
  ['task_id_part', 'task USING gin ((id::text) gin_trgm_ops)'],
  ['task_uid_part', 'task USING gin ((uid::text) gin_trgm_ops)'],
  ['task_sample_name_part', 'task_sample USING gin (name gin_trgm_ops)'],
  ['task_sample_name', 'task_sample (lower(name))'],
  ['task_created', 'task (created DESC, id)'],
];

export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE EXTENSION IF NOT EXISTS pg_trgm');
  for (const [name, definition] of INDEXES) {
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  }
}

export async function down(knex: Knex): Promise<void> {
  for (const [name] of INDEXES) await knex.raw(`DROP INDEX IF EXISTS ${name}`);
}
