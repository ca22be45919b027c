import type { Knex } from 'knex';

/**
 * The queue of tasks whose results must be looked at, shared by all replicas; what a task's outputs occupy; the ids of the
 * request that launched it; and the resource of a task whose name is not its id.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE task
      -- Name of the AnalysisTask and of its folder; null: the id.
      ADD COLUMN resource_name text,
      -- The last resource of this name that is not the task's own, once it was reported.
      ADD COLUMN foreign_uid text,
      ADD COLUMN partial_ingested timestamptz,
      ADD COLUMN output_bytes bigint,
      ADD COLUMN request_id text,
      ADD COLUMN traceparent text;
    CREATE INDEX task_resource_name ON task (resource_name) WHERE resource_name IS NOT NULL;
    CREATE INDEX task_uid ON task (uid);
    CREATE INDEX task_output ON task (group_id) INCLUDE (output_bytes) WHERE output_bytes > 0;

    CREATE TABLE ingest_turn (
      task_id uuid PRIMARY KEY REFERENCES task ON DELETE CASCADE,
      -- Raised by every change of the task; a turn that began before the change is followed by another.
      wanted bigint NOT NULL DEFAULT 1,
      attempts integer NOT NULL DEFAULT 0,
      next_try timestamptz NOT NULL,
      leased_by uuid,
      leased_until timestamptz
    );
    CREATE INDEX ingest_turn_due ON ingest_turn (next_try);

    -- Partial results of tasks that failed before are in, or their time was over.
    UPDATE task SET partial_ingested = coalesce(finished, now()) WHERE status = 'failed';
    -- Unfinished tasks are looked at now; the outputs of finished ones are measured when there is time for it.
    INSERT INTO ingest_turn (task_id, next_try)
      SELECT id, now() FROM task WHERE status IN ('queued', 'starting', 'running') AND phase IS NOT NULL;
    INSERT INTO ingest_turn (task_id, next_try)
      SELECT id, now() + interval '1 hour' FROM task
        WHERE status IN ('completed', 'failed', 'aborted') AND results_deleted IS NULL
      ON CONFLICT DO NOTHING;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE IF EXISTS ingest_turn;
    DROP INDEX IF EXISTS task_output;
    DROP INDEX IF EXISTS task_uid;
    DROP INDEX IF EXISTS task_resource_name;
    ALTER TABLE task DROP COLUMN IF EXISTS resource_name, DROP COLUMN IF EXISTS foreign_uid,
      DROP COLUMN IF EXISTS partial_ingested, DROP COLUMN IF EXISTS output_bytes,
      DROP COLUMN IF EXISTS request_id, DROP COLUMN IF EXISTS traceparent;
  `);
}
