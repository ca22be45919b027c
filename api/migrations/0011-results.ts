import type { Knex } from 'knex';

/**
 * Results. `call` includes the preferred annotation of its allele, so that the variant table filters and sorts one
 * table without a join. allele_annotation and consequence hold the complete annotation, once per bundle.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE ingest (
      task_id uuid NOT NULL REFERENCES task ON DELETE CASCADE,
      part text NOT NULL,
      fingerprint text NOT NULL,
      done timestamptz NOT NULL,
      PRIMARY KEY (task_id, part),
      UNIQUE (task_id, part, fingerprint)
    );

    CREATE TABLE allele (
      key text PRIMARY KEY,
      genome text NOT NULL,
      chrom text NOT NULL,
      pos integer NOT NULL,
      ref text NOT NULL,
      alt text NOT NULL
    );
    CREATE INDEX allele_place ON allele (genome, chrom, pos);

    CREATE TABLE allele_annotation (
      allele_key text NOT NULL,
      bundle text NOT NULL,
      rsid text,
      hgvs_g text,
      population_af double precision,
      clinical_significance text,
      -- Every non-empty column of annotation/alleles.tsv.gz.
      data jsonb NOT NULL,
      PRIMARY KEY (allele_key, bundle)
    );

    CREATE TABLE consequence (
      allele_key text NOT NULL,
      bundle text NOT NULL,
      -- 0 is the consequence that the table shows.
      ord integer NOT NULL,
      transcript text NOT NULL,
      rank text,
      gene text,
      consequence text,
      impact text,
      exon text,
      intron text,
      hgvs_c text,
      hgvs_p text,
      sift double precision,
      polyphen double precision,
      PRIMARY KEY (allele_key, bundle, ord)
    );

    CREATE TABLE call (
      task_id uuid NOT NULL,
      sample_idx integer NOT NULL,
      allele_key text NOT NULL,
      -- Natural order of the contig in the genome.
      chrom_order integer NOT NULL,
      chrom text NOT NULL,
      pos integer NOT NULL,
      ref text NOT NULL,
      alt text NOT NULL,
      type text NOT NULL,
      length integer NOT NULL,
      amplicon text,
      vaf double precision,
      vaf_low double precision,
      vaf_high double precision,
      depth integer,
      alt_count integer,
      alt_forward integer,
      alt_reverse integer,
      ref_forward integer,
      ref_reverse integer,
      quality double precision,
      strand_ratio double precision,
      strand_p double precision,
      genotype text,
      zygosity text,
      filter text[] NOT NULL,
      called boolean NOT NULL,
      kept boolean NOT NULL,
      post_group text,
      trace text,
      hotspot text,
      somatic text,
      normal_vaf double precision,
      normal_depth integer,
      -- Remaining INFO and FORMAT fields of the VCF.
      info jsonb NOT NULL,
      gene text,
      transcript text,
      transcripts integer NOT NULL DEFAULT 0,
      consequence text,
      impact text,
      impact_order smallint NOT NULL DEFAULT 0,
      exon text,
      intron text,
      hgvs_c text,
      hgvs_p text,
      hgvs_g text,
      sift double precision,
      polyphen double precision,
      population_af double precision,
      clinical_significance text,
      rsid text,
      PRIMARY KEY (task_id, sample_idx, allele_key)
    ) PARTITION BY HASH (task_id);
    CREATE INDEX call_allele ON call (allele_key);
    CREATE INDEX call_kept ON call (task_id, sample_idx) WHERE kept;

    CREATE TABLE sample_metric (
      task_id uuid NOT NULL,
      sample_idx integer NOT NULL,
      metric text NOT NULL,
      value double precision,
      numerator double precision,
      denominator double precision,
      PRIMARY KEY (task_id, sample_idx, metric)
    );

    CREATE TABLE sample_verdict (
      task_id uuid NOT NULL,
      sample_idx integer NOT NULL,
      ord integer NOT NULL,
      metric text NOT NULL,
      value double precision,
      numerator double precision,
      denominator double precision,
      operator text,
      threshold double precision,
      source text,
      verdict text NOT NULL,
      PRIMARY KEY (task_id, sample_idx, ord)
    );

    -- Mean insert depth of each amplicon in panel order: little-endian u32, never one row per amplicon.
    CREATE TABLE sample_depth (
      task_id uuid NOT NULL,
      sample_idx integer NOT NULL,
      amplicons bytea NOT NULL,
      PRIMARY KEY (task_id, sample_idx)
    );

    -- Rows of cnv_segment.tsv, sma.tsv, thal.tsv and hotspots.tsv, by sample and name.
    CREATE TABLE sample_result (
      task_id uuid NOT NULL,
      sample_idx integer NOT NULL,
      kind text NOT NULL CHECK (kind IN ('cnv', 'sma', 'thalassemia', 'hotspot')),
      ord integer NOT NULL,
      name text NOT NULL,
      data jsonb NOT NULL,
      PRIMARY KEY (task_id, kind, sample_idx, ord)
    );

    CREATE TABLE pair_check (
      task_id uuid NOT NULL,
      pair text NOT NULL,
      sites integer,
      concordance double precision,
      verdict text,
      PRIMARY KEY (task_id, pair)
    );

    -- Observations of a specimen (identified by the hash of its input files). They survive deletion and count a rerun
    -- once.
    CREATE TABLE observed_specimen (
      group_id uuid NOT NULL,
      panel_value text NOT NULL,
      specimen text NOT NULL,
      sample_name text NOT NULL,
      task_id uuid NOT NULL,
      created timestamptz NOT NULL,
      -- One bit per amplicon in panel order: depth reached the caller's minimum.
      callable bytea,
      PRIMARY KEY (group_id, panel_value, specimen)
    );
    CREATE TABLE observation (
      group_id uuid NOT NULL,
      panel_value text NOT NULL,
      allele_key text NOT NULL,
      specimen text NOT NULL,
      vaf double precision,
      depth integer,
      PRIMARY KEY (group_id, panel_value, allele_key, specimen)
    );

    -- No foreign key to call: a review survives another ingest and a changed filter.
    CREATE TABLE review (
      id uuid PRIMARY KEY,
      group_id uuid NOT NULL,
      task_id uuid NOT NULL,
      sample_name text NOT NULL,
      allele_key text NOT NULL,
      state text NOT NULL,
      reason text NOT NULL DEFAULT '',
      user_id uuid NOT NULL,
      username text NOT NULL,
      created timestamptz NOT NULL
    );
    CREATE INDEX review_row ON review (task_id, sample_name, allele_key, created DESC);
  `);
  for (let part = 0; part < PARTITIONS; part++) {
    await knex.raw(
      `CREATE TABLE call_${part} PARTITION OF call FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`,
    );
  }
}

/**
 * Partitioned by hash instead of one per task: 20,000 tasks would make 20,000 tables, and a new task would need a DDL
 * lock.
 */
const PARTITIONS = 32;

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `DROP TABLE IF EXISTS review, observation, observed_specimen, pair_check, sample_result, sample_depth, sample_verdict,
       sample_metric, call, consequence, allele_annotation, allele, ingest CASCADE`,
  );
}
