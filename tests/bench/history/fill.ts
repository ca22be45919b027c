/**
 * Fills a database with the history of a busy installation, inside Postgres: tasks with their samples, calls and
 * observations. A few tasks are large, as with an exome-sized panel. Most have some dozens of calls.
 */
import { performance } from 'node:perf_hooks';
import type { Knex } from 'knex';

export interface HistorySize {
  tasks: number;
  /** Total rows of `call`. */
  calls: number;
  /** Total rows of `observed_allele`. */
  observations: number;
}

export interface History {
  /** One of the groups. */
  group: string;
  /** Tasks with few calls and with many. */
  small: string[];
  large: string[];
}

const GROUPS = 10;
const SAMPLES = 8;
const LARGE_TASKS = 20;
const LARGE_CALLS = 50_000;
/** Alleles shared by the specimens of a panel. */
const ALLELES = 20_000;

export const PANEL = 'p';

/** `owner` owns the tables. Prints its progress, because realistic sizes take minutes. */
export async function fillHistory(owner: Knex, size: HistorySize): Promise<void> {
  /** Inserts values as text, because parameters would need casts. All are numbers and names of this file. */
  const step = async (what: string, sql: string, values: Record<string, number | string> = {}): Promise<void> => {
    const from = performance.now();
    const text = Object.entries(values).reduce(
      (all, [name, value]) =>
        all.replace(new RegExp(`(?<!:):${name}\\b`, 'g'), typeof value === 'number' ? `${value}` : `'${value}'`),
      sql,
    );
    await owner.raw(text);
    console.log(`  ${what}: ${((performance.now() - from) / 1000).toFixed(0)} s`);
  };
  await owner.raw('SET statement_timeout = 0');
  await step(
    'groups',
    'CREATE TABLE history_group AS SELECT n AS number, gen_random_uuid() AS id FROM generate_series(0, :last) n',
    {
      last: GROUPS - 1,
    },
  );
  await step(
    'tasks',
    `INSERT INTO task (id, group_id, name, username, panel_value, panel_name, preset_name, pipeline_name, pipeline_version, source,
       spec, created, started, finished, status, samples_total, samples_done, uid, ingested)
     SELECT gen_random_uuid(), g.id, 'Run-' || n || '-' || substr(md5(n::text), 1, 6), 'user' || n % 50, :panel, 'Panel', 'Default', 'panel-1.0.0', '1.0.0', 'fq',
       -- As long as the spec of a plate: a list must not read it.
       jsonb_build_object('samples', (SELECT jsonb_agg(md5(n || '-' || i)) FROM generate_series(1, 200) i)),
       now() - n * interval '5 minutes', now() - n * interval '5 minutes', now(), 'completed', :samples, :samples, gen_random_uuid(), 'x'
     FROM generate_series(1, :tasks) n JOIN history_group g ON g.number = n % :groups`,
    { tasks: size.tasks, groups: GROUPS, samples: SAMPLES, panel: PANEL },
  );
  await step(
    'numbers',
    `CREATE TABLE history_task AS SELECT id, group_id, row_number() OVER (ORDER BY created DESC) AS n FROM task;
     CREATE INDEX ON history_task (n); ANALYZE history_task`,
  );
  const perSmall = Math.round((size.calls - LARGE_TASKS * LARGE_CALLS) / (size.tasks * SAMPLES));
  await step(
    'samples',
    `INSERT INTO task_sample (task_id, idx, name, library_id, qc_type, role, files, variants_ready, variants_ingested, variants_all, variants_called, variants_kept)
     SELECT t.id, i, 'P' || t.n || '-' || i, 'L', 'Sample', 'germline', '[]', true, rows, rows, rows / 2, rows / 4
     FROM history_task t, generate_series(0, :samples - 1) i,
       LATERAL (SELECT CASE WHEN t.n <= :large THEN :largeCalls / :samples ELSE :perSmall END AS rows) r`,
    { samples: SAMPLES, large: LARGE_TASKS, largeCalls: LARGE_CALLS, perSmall },
  );
  await step(
    'calls',
    `INSERT INTO call (task_id, sample_idx, allele_key, chrom_order, chrom, pos, ref, alt, type, length, amplicon, vaf, vaf_low, vaf_high,
       depth, alt_count, alt_forward, alt_reverse, ref_forward, ref_reverse, quality, strand_ratio, strand_p, zygosity, filter,
       called, kept, gene, transcript, transcripts, consequence, impact, impact_order, hgvs_c, hgvs_p, population_af, rsid)
     SELECT t.id, i, 'demo:chr' || a % 24 || ':' || a * 7 || ':A:G', a % 24, 'chr' || a % 24, a * 7, 'A', 'G', 'SNV', 1, 'AMP' || a % 5000,
       random(), 0.1, 0.2, (random() * 3000)::int, 10, 5, 5, 5, 5, random() * 40, random(), random(), 'het',
       CASE WHEN a % 2 = 0 THEN '{}'::text[] ELSE '{low_vaf}'::text[] END, a % 2 = 0, a % 4 = 0, 'GENE' || a % 500, 'NM_' || a % 500, 2,
       'missense_variant', (ARRAY['HIGH','MODERATE','LOW','MODIFIER'])[1 + a % 4], 3 - a % 4, 'c.' || a || 'A>G', 'p.X' || a || 'Y', random(), 'rs' || a
     FROM history_task t, generate_series(0, :samples - 1) i,
       generate_series(1, CASE WHEN t.n <= :large THEN :largeCalls / :samples ELSE :perSmall END) k,
       LATERAL (SELECT ((k * 7919 + t.n * 31 + i) % :alleles)::int AS a) x
     ON CONFLICT DO NOTHING`,
    { samples: SAMPLES, large: LARGE_TASKS, largeCalls: LARGE_CALLS, perSmall, alleles: ALLELES },
  );
  await step(
    'specimens',
    `INSERT INTO observed_specimen (group_id, panel_value, specimen, sample_name, task_id, created)
     SELECT t.group_id, :panel, md5(t.id::text || i), 'P' || t.n || '-' || i, t.id, now() FROM history_task t, generate_series(0, :samples - 1) i`,
    { samples: SAMPLES, panel: PANEL },
  );
  const perSpecimen = Math.ceil(size.observations / (size.tasks * SAMPLES));
  await step(
    'observations',
    `INSERT INTO observed_allele (specimen_id, allele_key, vaf, depth)
     SELECT s.id, 'demo:chr' || a % 24 || ':' || a * 7 || ':A:G', 0.5, 500
     FROM observed_specimen s, generate_series(1, :perSpecimen) k, LATERAL (SELECT (k * 7919 + s.id * 31) % :alleles AS a) x`,
    { perSpecimen, alleles: ALLELES },
  );
  await step(
    'counts',
    `INSERT INTO allele_count SELECT s.group_id, s.panel_value, o.allele_key, count(*)
       FROM observed_allele o JOIN observed_specimen s ON s.id = o.specimen_id GROUP BY 1, 2, 3;
     INSERT INTO specimen_count SELECT group_id, panel_value, count(*) FROM observed_specimen GROUP BY 1, 2`,
  );
  await owner.raw('DROP TABLE history_group, history_task');
  // Same as autovacuum after so many rows.
  for (const table of ['task', 'task_sample', 'call', 'observed_allele', 'allele_count'])
    await step(`vacuum of ${table}`, `VACUUM (ANALYZE) ${table}`);
}

/** Finds the tasks of a filled database. */
export async function readHistory(db: Knex): Promise<History> {
  const ids = async (offset: number, limit: number): Promise<string[]> =>
    (await db('task').orderBy('created', 'desc').offset(offset).limit(limit).select('id')).map(({ id }) => id);
  const { group_id } = (await db('task').orderBy('created', 'desc').first('group_id'))!;
  return { group: group_id!, large: await ids(0, LARGE_TASKS), small: await ids(LARGE_TASKS, 2000) };
}
