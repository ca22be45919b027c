import type { Knex } from 'knex';

/** Projects, their files, unfinished uploads, and the locks under which several api processes write them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE project (
      id uuid PRIMARY KEY,
      group_id uuid NOT NULL REFERENCES user_group,
      name text NOT NULL,
      owner_id uuid NOT NULL REFERENCES app_user,
      created timestamptz NOT NULL,
      deleted timestamptz
    );
    CREATE UNIQUE INDEX project_name ON project (group_id, lower(name)) WHERE deleted IS NULL;

    CREATE TABLE project_file (
      id uuid PRIMARY KEY,
      project_id uuid NOT NULL REFERENCES project,
      name text NOT NULL,
      type text NOT NULL CHECK (type IN ('fastq', 'bam', 'bai', 'samplesheet')),
      size bigint NOT NULL CHECK (size > 0),
      sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
      owner_id uuid NOT NULL REFERENCES app_user,
      created timestamptz NOT NULL,
      deleted timestamptz
    );
    CREATE UNIQUE INDEX project_file_name ON project_file (project_id, name) WHERE deleted IS NULL;
    CREATE INDEX project_file_owner ON project_file (owner_id) WHERE deleted IS NULL;

    -- An upload reserves its full size in the quotas until it is finished, cancelled or expired.
    CREATE TABLE upload (
      id uuid PRIMARY KEY,
      project_id uuid NOT NULL REFERENCES project,
      group_id uuid NOT NULL REFERENCES user_group,
      owner_id uuid NOT NULL REFERENCES app_user,
      name text NOT NULL,
      size bigint NOT NULL,
      created timestamptz NOT NULL,
      touched timestamptz NOT NULL,
      -- Set when the upload is finished. The row stays for a day, to answer late requests.
      file_id uuid,
      -- Lease of the process that writes the upload, and whether another process requests it.
      locked_by uuid,
      locked_until timestamptz,
      release_asked boolean NOT NULL DEFAULT false
    );
    CREATE UNIQUE INDEX upload_name ON upload (project_id, name) WHERE file_id IS NULL;
    CREATE INDEX upload_owner ON upload (owner_id);
    CREATE INDEX upload_group ON upload (group_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS upload, project_file, project CASCADE');
}
