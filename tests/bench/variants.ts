/**
 * Measures how long a chunk of the variant table takes with a million rows in Postgres: 20 tasks of one sample and 50,000 calls. Uses queries of the table: first chunk, deep chunk, sorts, conditions of facets, search.
 *
 *   node tests/bench/variants.ts [rows]
 */

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { pino } from 'pino';
import { openDatabase } from '../../api/src/db/database.ts';
import { listFacets } from '../../api/src/results/variant-facets.ts';
import { CountCache, listVariants } from '../../api/src/results/variants.ts';
import { createTestDatabase } from '../../api/test-support/postgres.ts';
import { aTaskRow } from '../../api/test-support/task-row.ts';

const ROWS = Number(process.argv[2] ?? 1_000_000);
const TASKS = 20;
const ROUNDS = 10;

const { db, ownerUrl, close } = await createTestDatabase();
const group = randomUUID();
const tasks = Array.from({ length: TASKS }, () => randomUUID());
const started = performance.now();
for (const id of tasks) {
  await db('task').insert(
    aTaskRow(id, {
      created: new Date(),
      status: 'completed',
    }),
  );
  await db('task_sample').insert({
    task_id: id,
    idx: 0,
    name: 'S1',
    library_id: 'S1',
    qc_type: 'Sample',
    role: 'germline',
    files: '[]',
    variants_ingested: Math.round(ROWS / TASKS),
    variants_kept: Math.floor(ROWS / TASKS / 40),
  });
  await db.raw(
    `INSERT INTO call (task_id, sample_idx, allele_key, chrom_order, chrom, pos, ref, alt, type, length, amplicon, vaf, vaf_low, vaf_high,
       depth, alt_count, alt_forward, alt_reverse, ref_forward, ref_reverse, quality, strand_ratio, strand_p, zygosity, filter,
       called, kept, post_group, gene, transcript, transcripts, consequence, impact, impact_order, hgvs_c, hgvs_p, population_af, rsid)
     SELECT :id, 0, md5(:id || n::text), n % 24, 'chr' || n % 24, n * 7, 'A', 'G', 'SNV', 1, 'AMP' || n % 5000, random(), 0.1, 0.2,
       (random() * 3000)::int, 10, 5, 5, 5, 5, random() * 40, random(), random(), 'het',
       CASE WHEN n % 40 = 0 THEN '{}'::text[] ELSE '{low_vaf}'::text[] END, n % 40 = 0, n % 40 = 0, NULL,
       'GENE' || n % 500, 'NM_' || n % 500, 2, 'missense_variant',
       (ARRAY['HIGH','MODERATE','LOW','MODIFIER'])[1 + n % 4], 3 - n % 4, 'c.' || n || 'A>G', 'p.X' || n || 'Y', random(), 'rs' || n
     FROM generate_series(1, :rows) n`,
    { id, rows: Math.round(ROWS / TASKS) },
  );
}
// Same as autovacuum soon after so many inserts.
const owner = openDatabase(ownerUrl, pino({ level: 'silent' }), { max: 1 });
await owner.raw('VACUUM (ANALYZE) call');
await owner.destroy();
console.log(`${ROWS} rows in ${((performance.now() - started) / 1000).toFixed(0)} s`);

/** CPU time of this process and its Postgres backends, ms. */
async function cpuMs(): Promise<number> {
  const { rows } = await db.raw('SELECT pid FROM pg_stat_activity WHERE datname = current_database()');
  const ticks = rows.reduce((sum: number, { pid }: { pid: number }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
  const own = process.cpuUsage();
  return ticks * 10 + (own.user + own.system) / 1000;
}

const condition = (field: string, operator: string, value: unknown) => ({
  field,
  operator,
  value,
  missingPasses: false,
});
const queries: Record<string, Record<string, unknown>> = {
  'kept, first chunk': {},
  'all, first chunk': { show: 'all' },
  'all, sorted by frequency': { show: 'all', sort: '-vaf' },
  'all, sorted by gene': { show: 'all', sort: 'gene,-vaf' },
  'all, chunk 100': { show: 'all', sort: 'chrom,pos', page: 100 },
  'all, frequency and depth': {
    show: 'all',
    where: JSON.stringify([condition('vaf', '>=', 0.3), condition('depth', '>=', 500)]),
  },
  'all, impact in': { show: 'all', where: JSON.stringify([condition('impact', 'in', ['HIGH', 'MODERATE'])]) },
  'all, search for a gene': { show: 'all', q: 'GENE42' },
};
// Clears the cached counts, so that each chunk is timed as the first of a scroll.
const counts = new CountCache(0);
const measure = async (
  name: string,
  work: (task: { id: string; group_id: string; panel_value: string }) => Promise<unknown>,
): Promise<number[]> => {
  const times: number[] = [];
  const cpuBefore = await cpuMs();
  for (let round = 0; round < ROUNDS; round++) {
    const id = tasks[round % TASKS]!;
    const from = performance.now();
    JSON.stringify(await work({ id, group_id: group, panel_value: 'p' }));
    times.push(performance.now() - from);
  }
  const cpu = ((await cpuMs()) - cpuBefore) / ROUNDS;
  times.sort((a, b) => a - b);
  console.log(`${name.padEnd(28)} median ${at(times, 0.5)} ms  p95 ${at(times, 0.95)} ms  cpu ${cpu.toFixed(1)} ms`);
  return times;
};
const at = (sorted: readonly number[], q: number): string =>
  sorted[Math.min(sorted.length - 1, Math.ceil(q * sorted.length) - 1)]!.toFixed(1);

const all: number[] = [];
for (const [name, query] of Object.entries(queries)) {
  all.push(...(await measure(name, (task) => listVariants(db, counts, task, { page_size: 200, ...query } as never))));
}
all.sort((a, b) => a - b);
console.log(`pages: median ${at(all, 0.5)} ms, p95 ${at(all, 0.95)} ms (bar: 50 ms)`);
await measure('facets of all', (task) => listFacets(db, task.id, { show: 'all' } as never));
await close();
process.exit(0);
