/**
 * npm run bench:history [-- TASKS CALLS OBSERVATIONS]: how long lists and variant pages take at 10 connections with a long history
 * in Postgres, 100,000 tasks, 5 million calls and 50 million observations unless other sizes are given. Ends with
 * `N passed, N failed` of its bounds.
 */
import { performance } from 'node:perf_hooks';
import { pino } from 'pino';
import { openDatabase } from '../../api/src/db/database.ts';
import { MIGRATION_TIMEOUTS } from '../../api/src/db/migrate.ts';
import { CountCache, listVariants } from '../../api/src/results/variants.ts';
import { listAllTaskRows, listTaskRows } from '../../api/src/tasks/task-rows.ts';
import { createTestDatabase } from '../../api/test-support/postgres.ts';
import { fillHistory, PANEL, readHistory } from './history/fill.ts';

const [tasks = 100_000, calls = 5_000_000, observations = 50_000_000] = process.argv.slice(2).map(Number);
const CONNECTIONS = 10;
const CALLS_EACH = 30;

const silent = pino({ level: 'silent' });
/** A database that an earlier run filled and kept with SEQPANEL_BENCH_KEEP=1. */
const filled = process.env['SEQPANEL_BENCH_DATABASE'];
const { db, close } = filled ? reopened(filled) : await filledDatabase();
const { group, small, large } = await readHistory(db);

function reopened(url: string) {
  const again = openDatabase(url, silent);
  return { db: again, close: () => again.destroy() };
}

async function filledDatabase() {
  const database = await createTestDatabase();
  const owner = openDatabase(database.ownerUrl, silent, { max: 1, timeouts: MIGRATION_TIMEOUTS });
  const from = performance.now();
  await fillHistory(owner, { tasks, calls, observations });
  const { rows } = await owner.raw('SELECT pg_size_pretty(pg_database_size(current_database())) AS size');
  const seconds = ((performance.now() - from) / 1000).toFixed(0);
  console.log(`${tasks} tasks, ${calls} calls, ${observations} observations: ${rows[0].size}, ${seconds} s`);
  await owner.destroy();
  return database;
}

const caller = { username: 'user1' };
const counts = new CountCache(0);
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!;
const variants = (ids: readonly string[], query: object) => () =>
  listVariants(db, counts, { id: pick(ids), group_id: group, panel_value: PANEL }, {
    page_size: 200,
    ...query,
  } as never);
const search = () => pick(['Run-4242', 'P777-3', `P${Math.floor(Math.random() * tasks)}`, 'a1b2', 'P99']);

interface Case {
  name: string;
  bound?: { quantile: number; ms: number };
  call(): Promise<unknown>;
}
const cases: Case[] = [
  {
    name: 'task list of a group',
    bound: { quantile: 0.99, ms: 100 },
    call: () => listTaskRows(db, group, caller, {}, new Date()),
  },
  {
    name: 'task list, page 50',
    bound: { quantile: 0.99, ms: 100 },
    call: () => listTaskRows(db, group, caller, { page: 50 }, new Date()),
  },
  {
    name: 'task list of all groups',
    bound: { quantile: 0.99, ms: 100 },
    call: () => listAllTaskRows(db, caller, {}, new Date()),
  },
  {
    name: 'task search',
    bound: { quantile: 0.95, ms: 150 },
    call: () => listTaskRows(db, group, caller, { q: search() }, new Date()),
  },
  { name: 'variants, kept', bound: { quantile: 0.95, ms: 50 }, call: variants(small, {}) },
  {
    name: 'variants, all, by gene',
    bound: { quantile: 0.95, ms: 50 },
    call: variants(small, { show: 'all', sort: 'gene,-vaf' }),
  },
  {
    name: 'variants, search',
    bound: { quantile: 0.95, ms: 50 },
    call: variants(small, { show: 'all', q: 'GENE42' }),
  },
  { name: 'large task, kept', call: variants(large, {}) },
  { name: 'large task, by gene', call: variants(large, { show: 'all', sort: 'gene,-vaf' }) },
  { name: 'large task, chunk 100', call: variants(large, { show: 'all', sort: 'chrom,pos', page: 100 }) },
  { name: 'large task, search', call: variants(large, { show: 'all', q: 'GENE42' }) },
];

let failed = 0;
let passed = 0;
for (const { name, bound, call } of cases) {
  const times: number[] = [];
  const one = async (): Promise<void> => {
    for (let i = 0; i < CALLS_EACH; i++) {
      const from = performance.now();
      JSON.stringify(await call());
      times.push(performance.now() - from);
    }
  };
  await call();
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  times.sort((a, b) => a - b);
  const at = (q: number) => times[Math.min(times.length - 1, Math.ceil(q * times.length) - 1)]!;
  const met = bound === undefined ? undefined : at(bound.quantile) <= bound.ms;
  if (met === true) passed++;
  if (met === false) failed++;
  const wanted = bound ? `  p${bound.quantile * 100} wanted ${bound.ms} ms: ${met ? 'met' : 'MISSED'}` : '';
  console.log(
    `${name.padEnd(26)} median ${at(0.5).toFixed(1)}  p95 ${at(0.95).toFixed(1)}  p99 ${at(0.99).toFixed(1)} ms${wanted}`,
  );
}
if (process.env['SEQPANEL_BENCH_KEEP']) {
  console.log(`kept until this process ends: ${db.client.config.connection.connectionString}`);
  await new Promise(() => setInterval(() => {}, 60_000));
}
await close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
