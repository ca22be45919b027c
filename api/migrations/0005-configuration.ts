import type { Knex } from 'knex';

/**
 * Genomes, panel types, pipelines (each a row with a resource), and data sources, data types and analysis types with
 * seeds.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE genome (
      id uuid PRIMARY KEY,
      value text NOT NULL,
      display_name text NOT NULL,
      active boolean NOT NULL DEFAULT true,
      synthetic boolean NOT NULL DEFAULT false,
      instance_type text NOT NULL DEFAULT '',
      file_extensions jsonb NOT NULL DEFAULT '[]',
      source jsonb NOT NULL,
      annotation jsonb NOT NULL DEFAULT '[]',
      -- Mirror of the resource's status: contigs, indexes, conditions.
      status jsonb NOT NULL DEFAULT '{}',
      created timestamptz NOT NULL,
      modified timestamptz NOT NULL
    );
    CREATE UNIQUE INDEX genome_value ON genome (lower(replace(value, '_', '-')));
    CREATE UNIQUE INDEX genome_display_name ON genome (lower(display_name));

    CREATE TABLE panel_type (
      id uuid PRIMARY KEY,
      value text NOT NULL,
      display_name text NOT NULL,
      panel_group text NOT NULL DEFAULT '',
      active boolean NOT NULL DEFAULT true,
      is_default boolean NOT NULL DEFAULT false,
      group_list jsonb,
      genome text NOT NULL,
      instance_type text NOT NULL DEFAULT '',
      file_extensions jsonb NOT NULL DEFAULT '["fq"]',
      -- { panel, control, control_data, parameters[] }: name, path below storage, sha256, size.
      files jsonb NOT NULL,
      -- The parsed panel file, and the problems found when it was last checked by the api.
      panel jsonb,
      problems jsonb NOT NULL DEFAULT '[]',
      status jsonb NOT NULL DEFAULT '{}',
      created timestamptz NOT NULL,
      modified timestamptz NOT NULL
    );
    -- lower(replace): name of the resource, which must be unique too.
    CREATE UNIQUE INDEX panel_type_value ON panel_type (lower(replace(value, '_', '-')));
    CREATE UNIQUE INDEX panel_type_display_name ON panel_type (lower(display_name));
    CREATE UNIQUE INDEX panel_type_default ON panel_type (is_default) WHERE is_default;

    CREATE TABLE pipeline (
      id uuid PRIMARY KEY,
      name text NOT NULL,
      display_name text NOT NULL,
      version text NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'disabled', 'deleted')),
      is_default boolean NOT NULL DEFAULT false,
      spec jsonb NOT NULL,
      created timestamptz NOT NULL,
      deleted timestamptz
    );
    CREATE UNIQUE INDEX pipeline_name ON pipeline (name) WHERE status <> 'deleted';
    CREATE UNIQUE INDEX pipeline_default ON pipeline (is_default) WHERE is_default;

    CREATE TABLE listed_type (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      kind text NOT NULL CHECK (kind IN ('data_source', 'data_type', 'analysis_type')),
      value text NOT NULL,
      display_name text NOT NULL,
      instance_type text NOT NULL DEFAULT '',
      file_extensions jsonb NOT NULL DEFAULT '[]',
      active boolean NOT NULL DEFAULT true,
      is_default boolean NOT NULL DEFAULT false,
      position integer NOT NULL,
      UNIQUE (kind, value)
    );
    INSERT INTO listed_type (kind, position, value, display_name, file_extensions, is_default) VALUES
      ('data_type', 1, 'fq', 'FASTQ', '[".fastq.gz", ".fastq", ".fq", ".fq.gz"]', true),
      ('data_type', 2, 'bam', 'BAM', '[".bam", ".bam.bai"]', false),
      ('data_source', 1, 'sequencer', 'Sequencer', '[]', true),
      ('data_source', 2, 'intake', 'Intake folder', '[]', false),
      ('analysis_type', 1, 'germline', 'Germline', '[]', true),
      ('analysis_type', 2, 'tumor-only', 'Tumor only', '[]', false),
      ('analysis_type', 3, 'tumor-normal', 'Tumor-normal', '[]', false),
      ('analysis_type', 4, 'cnv', 'CNV', '[]', false),
      ('analysis_type', 5, 'sma', 'SMA', '[]', false),
      ('analysis_type', 6, 'thalassemia', 'Thalassemia', '[]', false),
      ('analysis_type', 7, 'methylation', 'Methylation', '[]', false);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE IF EXISTS listed_type, pipeline, panel_type, genome CASCADE');
}
