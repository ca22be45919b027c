import type { Knex } from 'knex';

/**
 * The queue of tasks to ingest, shared by all replicas; the size of a task's outputs; the ids of the request that
 * launched it; and the resource of a task whose name is not its id.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE task
      -- Name of the AnalysisTask and of its folder. Null means the id.
      ADD COLUMN resource_name text,
      -- The last foreign resource of this name, set when it was reported.
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
      -- Increased by every change of the task. A change during a turn causes another turn.
      wanted bigint NOT NULL DEFAULT 1,
      attempts integer NOT NULL DEFAULT 0,
      next_try timestamptz NOT NULL,
      leased_by uuid,
      leased_until timestamptz
    );
    CREATE INDEX ingest_turn_due ON ingest_turn (next_try);

    -- Partial results of earlier failed tasks are ingested or expired.
    UPDATE task SET partial_ingested = coalesce(finished, now()) WHERE status = 'failed';
    -- Unfinished tasks are ingested now. The outputs of finished ones are measured later.
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
