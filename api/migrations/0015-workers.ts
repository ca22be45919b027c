import type { Knex } from 'knex';

/** Worker nodes from the WorkerPools' statuses, and an id for each task result. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE worker_pool (
      id uuid PRIMARY KEY,
      name text NOT NULL UNIQUE,
      -- Guards against a replica that lags behind: the newest version of the object wins.
      resource_version numeric NOT NULL,
      queue text NOT NULL,
      instance_type text,
      min integer NOT NULL,
      max integer NOT NULL,
      desired integer,
      ready integer,
      pending_pods integer,
      running_pods integer,
      conditions jsonb NOT NULL DEFAULT '[]',
      created timestamptz NOT NULL,
      modified timestamptz NOT NULL,
      -- When the resource was found deleted. Its workers and history stay for a while.
      gone timestamptz
    );

    -- Desired and ready nodes, written when one of the two changes.
    CREATE TABLE worker_pool_sample (
      pool_id uuid NOT NULL REFERENCES worker_pool ON DELETE CASCADE,
      at timestamptz NOT NULL,
      desired integer NOT NULL,
      ready integer NOT NULL,
      PRIMARY KEY (pool_id, at)
    );

    CREATE TABLE worker (
      id uuid PRIMARY KEY,
      pool_id uuid NOT NULL REFERENCES worker_pool ON DELETE CASCADE,
      node text NOT NULL,
      instance_id text,
      created timestamptz NOT NULL,
      cloud_status text,
      register_status text,
      register_date timestamptz,
      ip_address text,
      -- Name of the AnalysisTask whose step runs on it. This is the task's id, except for tasks made with kubectl.
      task text,
      idle_since timestamptz,
      gone timestamptz
    );
    CREATE UNIQUE INDEX worker_present ON worker (pool_id, node) WHERE gone IS NULL;
    CREATE INDEX worker_gone ON worker (gone) WHERE gone IS NOT NULL;
    CREATE INDEX worker_task ON worker (task) WHERE gone IS NULL;

    ALTER TABLE task_result ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid();
    CREATE UNIQUE INDEX task_result_id ON task_result (id);
    CREATE INDEX task_result_finished ON task_result (finished DESC NULLS FIRST, id);

    CREATE INDEX task_status ON task (status);
    -- Matches the order of the lists, so that a page needs no sort of all rows.
    CREATE INDEX task_created ON task (created DESC NULLS LAST, id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX IF EXISTS task_status, task_created, task_result_finished, task_result_id;
    ALTER TABLE task_result DROP COLUMN IF EXISTS id;
    DROP TABLE IF EXISTS worker, worker_pool_sample, worker_pool CASCADE;
  `);
}
