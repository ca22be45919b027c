import type { Knex } from 'knex';

/**
 * Stores observations by the number of the specimen instead of three texts per row, and the counts behind "seen in n of
 * N". Counting the observations read the whole history of a panel for each page of variants.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE observed_specimen ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY;
    CREATE UNIQUE INDEX observed_specimen_id ON observed_specimen (id);

    CREATE TABLE observed_allele (
      specimen_id bigint NOT NULL,
      allele_key text NOT NULL,
      vaf real,
      depth integer,
      PRIMARY KEY (specimen_id, allele_key)
    );
    INSERT INTO observed_allele
      SELECT s.id, o.allele_key, o.vaf, o.depth FROM observation o JOIN observed_specimen s USING (group_id, panel_value, specimen);
    DROP TABLE observation;

    -- Specimens of a group and panel with a call of the allele, updated in the transaction that writes observed_allele.
    CREATE TABLE allele_count (
      group_id uuid NOT NULL,
      panel_value text NOT NULL,
      allele_key text NOT NULL,
      n integer NOT NULL,
      PRIMARY KEY (group_id, panel_value, allele_key)
    );
    INSERT INTO allele_count
      SELECT s.group_id, s.panel_value, o.allele_key, count(*)
      FROM observed_allele o JOIN observed_specimen s ON s.id = o.specimen_id GROUP BY 1, 2, 3;

    -- The N of "n of N".
    CREATE TABLE specimen_count (
      group_id uuid NOT NULL,
      panel_value text NOT NULL,
      n integer NOT NULL,
      PRIMARY KEY (group_id, panel_value)
    );
    INSERT INTO specimen_count SELECT group_id, panel_value, count(*) FROM observed_specimen GROUP BY 1, 2;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE observation (
      group_id uuid NOT NULL,
      panel_value text NOT NULL,
      allele_key text NOT NULL,
      specimen text NOT NULL,
      vaf double precision,
      depth integer,
      PRIMARY KEY (group_id, panel_value, allele_key, specimen)
    );
    INSERT INTO observation
      SELECT s.group_id, s.panel_value, o.allele_key, s.specimen, o.vaf, o.depth
      FROM observed_allele o JOIN observed_specimen s ON s.id = o.specimen_id;
    CREATE INDEX observation_specimen ON observation (group_id, panel_value, specimen);
    DROP TABLE IF EXISTS specimen_count, allele_count, observed_allele;
    ALTER TABLE observed_specimen DROP COLUMN id;
  `);
}
