import type { Knex } from 'knex';

/** Long work that a person started and can follow: deletions, archives, scans, copies. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE job (
      id uuid PRIMARY KEY,
      kind text NOT NULL,
      -- Null for work on the installation, which staff follow.
      group_id uuid REFERENCES user_group ON DELETE CASCADE,
      -- The object that it works on, for example a task. Names no table, because kinds differ.
      subject uuid,
      username text NOT NULL,
      payload jsonb NOT NULL,
      state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'completed', 'failed', 'canceled')),
      done bigint NOT NULL DEFAULT 0,
      total bigint,
      result jsonb,
      error text,
      cancel_requested boolean NOT NULL DEFAULT false,
      attempts integer NOT NULL DEFAULT 0,
      created timestamptz NOT NULL,
      started timestamptz,
      finished timestamptz,
      leased_by uuid,
      leased_until timestamptz
    );
    CREATE INDEX job_open ON job (created) WHERE state IN ('queued', 'running');
    CREATE INDEX job_group ON job (group_id, created DESC);
    -- One object is never worked on by two jobs of a kind at once.
    CREATE UNIQUE INDEX job_once ON job (kind, subject) WHERE state IN ('queued', 'running') AND subject IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS job');
}
