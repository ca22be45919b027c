/**
 * npm run bench:api: calls a second that one api process answers at 50 connections, with client, api and Postgres on this machine.
 * Beside each figure is its share of /healthz in the same run, an answer that needs neither session nor database. Processor time of
 * the api and of its Postgres backends, and statements a call, depend less on other work of the machine than calls a second.
 * CALLS=profile,projects runs only these. API_ARGS are options of node for the api, such as --cpu-prof.
 */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { openSession } from '../../api/src/session/open-session.ts';
import { createTokens } from '../../api/src/session/tokens.ts';
import { API_SECRET, startApiProcess } from '../../api/test-support/api-process.ts';
import { createTestDatabase } from '../../api/test-support/postgres.ts';
import { aTaskRow } from '../../api/test-support/task-row.ts';
import { processorMs } from './processor-time.ts';

const CONNECTIONS = 50;
const WARM_MS = 3_000;
const MEASURE_MS = Number(process.env['MEASURE_MS'] ?? 8_000);
const TASKS = 200;
const PROJECTS = 30;
const P99_MS = 150;
/** Required calls a second on 2 cores. */
const WANTED: Readonly<Record<string, number>> = { 'task list': 772, projects: 850, profile: 1062 };

const { db, url, close } = await createTestDatabase();
const now = new Date();
const group = randomUUID();
const user = randomUUID();
await db('user_group').insert({ id: group, name: 'g', display_name: 'Group', created: now });
const account = { id: user, username: 'ana', password_hash: 'x', must_change_password: false };
await db('app_user').insert({ ...account, password_changed: now, created: now });
await db('membership').insert({ user_id: user, group_id: group, is_default: true });
for (let i = 0; i < TASKS; i++)
  await db('task').insert(
    aTaskRow(randomUUID(), { group_id: group, created: now, status: 'completed', name: `Run-${i}`, username: 'ana' }),
  );
for (let i = 0; i < PROJECTS; i++)
  await db('project').insert({ id: randomUUID(), group_id: group, name: `Project-${i}`, owner_id: user, created: now });
const { sessionId } = await openSession(db, user, now);
const tokens = await createTokens(Buffer.from(API_SECRET, 'hex'), () => new Date());
const token = await tokens.signAccess({ userId: user, sessionId });

const api = await startApiProcess(url, process.env['API_ARGS'] ? { NODE_OPTIONS: process.env['API_ARGS'] } : {});
const pool = new Pool(`http://127.0.0.1:${api.port}`, { connections: CONNECTIONS, pipelining: 1 });
const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };

/** Processor time so far of the api and of its Postgres backends, and the statements of these. */
async function used() {
  // Postgres publishes the counts of an idle backend after a second.
  await wait(1_200);
  const backends: { pid: number }[] = await db('pg_stat_activity')
    .whereRaw('datname = current_database()')
    .select('pid');
  const statements: number = (await db('pg_stat_database')
    .whereRaw('datname = current_database()')
    .first({ count: 'xact_commit' }))!.count;
  return {
    api: processorMs(api.pid),
    postgres: backends.reduce((sum, { pid }) => sum + processorMs(pid), 0),
    statements,
  };
}

/** Repeats the call on every connection without a pause. */
async function load(path: string, ms: number) {
  const times: number[] = [];
  const before = await used();
  const end = performance.now() + ms;
  const one = async (): Promise<void> => {
    for (;;) {
      const from = performance.now();
      if (from > end) return;
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
      const text = await body.text();
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text.slice(0, 200)}`);
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  times.sort((a, b) => a - b);
  const after = await used();
  return {
    rate: times.length / (ms / 1000),
    p99: times[Math.ceil(0.99 * times.length) - 1]!,
    median: times[Math.floor(times.length / 2)]!,
    api: (after.api - before.api) / times.length,
    postgres: (after.postgres - before.postgres) / times.length,
    statements: (after.statements - before.statements) / times.length,
  };
}

const CALLS: Readonly<Record<string, string>> = {
  healthz: '/healthz',
  'task list': `/api/v1/pivat/${group}/tasks`,
  projects: `/api/v1/pivat/${group}/projects`,
  profile: '/api/v1/pivat/profile',
};
let idle = 0;
let failed = 0;
let passed = 0;
const chosen = process.env['CALLS']?.split(',');
for (const [name, path] of Object.entries(CALLS)) {
  if (chosen && !chosen.includes(name)) continue;
  await load(path, WARM_MS);
  const { rate, p99, median, api, postgres, statements } = await load(path, MEASURE_MS);
  if (name === 'healthz') idle = rate;
  const wanted = WANTED[name];
  const met = wanted === undefined || (rate >= wanted && p99 <= P99_MS);
  if (wanted !== undefined) met ? passed++ : failed++;
  const verdict = wanted === undefined ? '' : `  wanted ${wanted}/s and p99 ${P99_MS} ms: ${met ? 'met' : 'MISSED'}`;
  console.log(
    `${name.padEnd(10)} ${rate.toFixed(0)}/s (${(rate / idle).toFixed(2)} of healthz)  median ${median.toFixed(0)}  p99 ${p99.toFixed(0)} ms  ` +
      `processor a call: api ${api.toFixed(2)}, Postgres ${postgres.toFixed(2)} ms  statements a call ${statements.toFixed(1)}${verdict}`,
  );
}
await pool.close();
api.kill('SIGTERM');
await api.exit;
await api.dispose();
await close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
