import type { Knex } from 'knex';

/** Parameters files. A deleted one stays, so that a rerun can report it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE preset (
      id uuid PRIMARY KEY,
      group_id uuid NOT NULL REFERENCES user_group,
      panel_type_id uuid NOT NULL REFERENCES panel_type,
      name text NOT NULL,
      pipeline_version text NOT NULL,
      content jsonb NOT NULL,
      version integer NOT NULL DEFAULT 1,
      owner_id uuid NOT NULL REFERENCES app_user,
      created timestamptz NOT NULL,
      modified timestamptz NOT NULL,
      deleted timestamptz
    );
    -- Names are unique in a group across panels, because tasks and reports identify a preset by name.
    CREATE UNIQUE INDEX preset_name ON preset (group_id, lower(name)) WHERE deleted IS NULL;
    CREATE INDEX preset_panel ON preset (panel_type_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS preset CASCADE');
}
