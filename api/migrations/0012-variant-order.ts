import type { Knex } from 'knex';

/** Speeds up a chunk of the variant table: indexes for its usual orders, and counts without a scan. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE task_sample ADD COLUMN variants_ingested integer NOT NULL DEFAULT 0;
    UPDATE task_sample s SET variants_ingested =
      (SELECT count(*) FROM call c WHERE c.task_id = s.task_id AND c.sample_idx = s.idx);
    CREATE INDEX call_severity ON call (task_id, impact_order DESC NULLS LAST, vaf DESC NULLS LAST, chrom_order, pos);
    CREATE INDEX call_frequency ON call (task_id, vaf DESC NULLS LAST);
    CREATE INDEX call_place ON call (task_id, chrom_order, pos);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX IF EXISTS call_place;
    DROP INDEX IF EXISTS call_frequency;
    DROP INDEX IF EXISTS call_severity;
    ALTER TABLE task_sample DROP COLUMN IF EXISTS variants_ingested;
  `);
}
