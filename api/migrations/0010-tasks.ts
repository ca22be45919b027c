import type { Knex } from 'knex';

/** Launches, tasks with their samples and frozen files, and the outbox. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE launch (
      id uuid PRIMARY KEY,
      group_id uuid NOT NULL REFERENCES user_group,
      user_id uuid NOT NULL REFERENCES app_user,
      -- The client's idempotency key, and the hash of its request.
      key text NOT NULL,
      request_hash text NOT NULL,
      created timestamptz NOT NULL
    );
    CREATE UNIQUE INDEX launch_key ON launch (group_id, user_id, key);

    -- Frozen copies by content: all tasks of a panel file share one.
    CREATE TABLE frozen_file (
      sha256 text PRIMARY KEY,
      content bytea NOT NULL
    );

    CREATE TABLE task (
      id uuid PRIMARY KEY,
      launch_id uuid REFERENCES launch,
      -- No foreign keys to rows that may be deleted or, for a task made with kubectl, may not exist.
      group_id uuid,
      project_id uuid,
      rerun_of uuid,
      name text NOT NULL,
      user_id uuid,
      username text,
      panel_type_id uuid,
      panel_value text NOT NULL,
      panel_name text NOT NULL,
      panel_sha256 text,
      synthetic boolean NOT NULL DEFAULT false,
      analysis_types jsonb NOT NULL DEFAULT '[]',
      preset_id uuid,
      preset_name text NOT NULL,
      preset_version integer,
      preset_sha256 text,
      pipeline_name text NOT NULL,
      pipeline_version text NOT NULL,
      genome text NOT NULL DEFAULT '',
      source text NOT NULL CHECK (source IN ('fq', 'bam')),
      notify jsonb NOT NULL DEFAULT '[]',
      notes text NOT NULL DEFAULT '',
      -- The launch as the wizard sent it, for editing. The spec of the resource. Frozen files by name.
      definition jsonb,
      spec jsonb NOT NULL,
      frozen jsonb NOT NULL DEFAULT '{}',
      launch_hash text,
      created timestamptz NOT NULL,
      status text NOT NULL CHECK (status IN ('queued', 'starting', 'running', 'completed', 'aborted', 'failed')),
      abort_requested boolean NOT NULL DEFAULT false,
      -- Mirror of the resource.
      uid uuid,
      external boolean NOT NULL DEFAULT false,
      vanished boolean NOT NULL DEFAULT false,
      revision bigint NOT NULL DEFAULT -1,
      phase text,
      mirror jsonb NOT NULL DEFAULT '{}',
      stage text,
      stage_number integer NOT NULL DEFAULT 0,
      attempt integer NOT NULL DEFAULT 1,
      reason text,
      started timestamptz,
      finished timestamptz,
      samples_total integer NOT NULL DEFAULT 0,
      samples_done integer NOT NULL DEFAULT 0,
      samples_failed integer NOT NULL DEFAULT 0,
      samples_incomplete integer NOT NULL DEFAULT 0,
      -- Ingested results.
      bundle text,
      qc_ready boolean NOT NULL DEFAULT false,
      qc_pass integer NOT NULL DEFAULT 0,
      qc_warn integer NOT NULL DEFAULT 0,
      qc_fail integer NOT NULL DEFAULT 0,
      controls jsonb,
      qc_summary jsonb,
      ingested text,
      results_deleted timestamptz,
      autodelete_date timestamptz
    );
    CREATE INDEX task_group ON task (group_id, created DESC, id);
    CREATE INDEX task_launch ON task (launch_id);
    CREATE INDEX task_open ON task (id) WHERE ingested IS NULL AND status IN ('queued', 'starting', 'running');
    CREATE INDEX task_project ON task (project_id);

    CREATE TABLE task_sample (
      task_id uuid NOT NULL REFERENCES task ON DELETE CASCADE,
      idx integer NOT NULL,
      name text NOT NULL,
      library_id text NOT NULL,
      qc_type text NOT NULL,
      role text NOT NULL,
      control_material text,
      cnv_normal boolean NOT NULL DEFAULT false,
      tumor_content double precision,
      well text,
      i7 text,
      i5 text,
      pair text,
      files jsonb NOT NULL,
      failure jsonb,
      metrics_ready boolean NOT NULL DEFAULT false,
      variants_ready boolean NOT NULL DEFAULT false,
      variants_all integer NOT NULL DEFAULT 0,
      variants_called integer NOT NULL DEFAULT 0,
      variants_kept integer NOT NULL DEFAULT 0,
      qc_status text,
      PRIMARY KEY (task_id, idx),
      UNIQUE (task_id, name)
    );

    -- "Task result": one row per step attempt.
    CREATE TABLE task_result (
      task_id uuid NOT NULL REFERENCES task ON DELETE CASCADE,
      step text NOT NULL,
      attempt integer NOT NULL,
      state text NOT NULL,
      reason text,
      message text,
      job text,
      started timestamptz,
      finished timestamptz,
      PRIMARY KEY (task_id, step, attempt)
    );

    CREATE TABLE outbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      -- <Kind>/<name>: intents of one object are carried out in order.
      object text NOT NULL,
      intent jsonb NOT NULL,
      created timestamptz NOT NULL,
      next_try timestamptz NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      last_error text,
      state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'done', 'failed', 'cancelled')),
      finished timestamptz
    );
    CREATE INDEX outbox_pending ON outbox (object, id) WHERE state = 'pending';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS outbox, task_result, task_sample, task, frozen_file, launch CASCADE');
}
