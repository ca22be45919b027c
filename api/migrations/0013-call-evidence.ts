import type { Knex } from 'knex';

/** Moves columns that only the drawer of one variant shows out of `call`, which is half as wide without them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE call_evidence (
      task_id uuid NOT NULL,
      sample_idx integer NOT NULL,
      allele_key text NOT NULL,
      genotype text,
      -- Bits of the post-filter's conditions, a slash, bits of the missing ones.
      trace text,
      -- Remaining INFO and FORMAT fields of the VCF.
      info jsonb NOT NULL,
      PRIMARY KEY (task_id, sample_idx, allele_key)
    ) PARTITION BY HASH (task_id)
  `);
  for (let part = 0; part < PARTITIONS; part++) {
    await knex.raw(
      `CREATE TABLE call_evidence_${part} PARTITION OF call_evidence FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`,
    );
  }
  await knex.raw(`
    INSERT INTO call_evidence SELECT task_id, sample_idx, allele_key, genotype, trace, info FROM call;
    ALTER TABLE call DROP COLUMN genotype, DROP COLUMN trace, DROP COLUMN info;
  `);
}

/** Same number as `call`. */
const PARTITIONS = 32;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE call ADD COLUMN genotype text, ADD COLUMN trace text, ADD COLUMN info jsonb NOT NULL DEFAULT '{}';
    UPDATE call c SET genotype = e.genotype, trace = e.trace, info = e.info
      FROM call_evidence e WHERE (e.task_id, e.sample_idx, e.allele_key) = (c.task_id, c.sample_idx, c.allele_key);
    DROP TABLE call_evidence;
  `);
}
