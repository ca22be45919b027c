/**
 * Measures how long the results of many tasks take from storage to the tables, in one api process or several. All tasks complete at the same time, as after an outage of the database.
 *
 *   node tests/bench/ingest.ts [tasks] [samples] [calls of a sample] [processes]
 */

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { taskDir } from '@seqpanel/crds/storage.ts';
import { pino } from 'pino';
import { createIngest } from '../../api/src/background/ingest/ingest-loop.ts';
import { wantIngest } from '../../api/src/background/ingest/turns.ts';
import { openDatabase } from '../../api/src/db/database.ts';
import { createTestDatabase } from '../../api/test-support/postgres.ts';
import { type TestCall, taskOutputs } from '../../api/test-support/task-outputs.ts';
import { aTaskRow } from '../../api/test-support/task-row.ts';

const [tasks = 100, samples = 384, calls = 20, processes = 1] = process.argv.slice(2).map(Number);
const GROUP = randomUUID();
const storageDir = mkdtempSync(join(tmpdir(), 'seqpanel-ingest-bench-'));
const { db, url, close } = await createTestDatabase();
const log = pino({ level: 'warn' });
const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);

/** Outputs of one task, shared by all tasks as hard links. */
function writeTemplate(id: string): void {
  const outputs = taskOutputs(storageDir, id);
  const names = Array.from({ length: samples }, (_, i) => `S${i}`);
  const found = names.map((_, sample) =>
    Array.from({ length: calls }, (_, i): TestCall => ({ pos: 100 + 7 * i + (sample % 5), ref: 'A', alt: 'G' })),
  );
  for (const [i, name] of names.entries()) {
    outputs.reads(
      name,
      Array.from({ length: 200 }, (_, n) => 100 + n),
    );
    outputs.call(name, found[i]!);
  }
  outputs.annotation(found.slice(0, 5).flat());
  outputs.postFilter(Object.fromEntries(names.map((name, i) => [name, found[i]!])));
  outputs.qc(names.map((sample) => ({ sample, metric: 'mean_depth', value: 200, verdict: 'pass' })));
  outputs.report();
}

const begun = performance.now();
const ids = Array.from({ length: tasks }, () => randomUUID());
for (const [i, id] of ids.entries()) {
  if (i === 0) writeTemplate(id);
  else execFileSync('cp', ['-al', join(storageDir, taskDir(ids[0]!)), join(storageDir, taskDir(id))]);
  const row = { group_id: GROUP, spec: JSON.stringify({ group: GROUP }), status: 'running', phase: 'Completed' };
  await db('task').insert(aTaskRow(id, { ...row, created: new Date(), genome: 'toy' }));
  const rows = Array.from({ length: samples }, (_, idx) => ({
    ...{ task_id: id, idx, name: `S${idx}`, library_id: `S${idx}`, qc_type: 'Sample', role: 'germline', files: '[]' },
  }));
  await db.batchInsert('task_sample', rows, 200);
}
console.log(`${tasks} tasks of ${samples} samples with ${calls} calls each, written in ${seconds(begun)} s`);

/** CPU time of this process and its Postgres backends, s. */
async function cpuSeconds(): Promise<number> {
  const { rows } = await db.raw('SELECT pid FROM pg_stat_activity WHERE datname = current_database()');
  const ticks = rows.reduce((sum: number, { pid }: { pid: number }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return sum + Number(fields[11]) + Number(fields[12]);
  }, 0);
  const own = process.cpuUsage();
  return ticks / 100 + (own.user + own.system) / 1e6;
}

const stop = new AbortController();
const cpuBefore = await cpuSeconds();
const started = performance.now();
for (const id of ids) await db.transaction((trx) => wantIngest(trx, id, new Date()));
const pools = Array.from({ length: processes }, () => openDatabase(url, log));
const failures = { n: 0 };
const loops = pools.map((pool) =>
  createIngest({
    ...{ db: pool, storageDir, log, now: () => new Date() },
    onFailure: () => {
      failures.n++;
    },
  }).run(stop.signal),
);
const left = async (): Promise<number> =>
  Number((await db('task').whereNot({ status: 'completed' }).count())[0]!['count']);
for (let open = tasks; open > 0; ) {
  await wait(1_000);
  const before = open;
  open = await left();
  if (open !== before) console.log(`${seconds(started)} s: ${tasks - open} tasks completed`);
}
const { count } = (await db('call').count().first())!;
const cpu = ((await cpuSeconds()) - cpuBefore).toFixed(1);
const rss = Math.round(process.memoryUsage().rss / 1024 ** 2);
console.log(
  `${tasks * samples} samples and ${count} calls in ${seconds(started)} s, ${cpu} s of CPU, ${failures.n} failures, ${rss} MiB`,
);
stop.abort();
await Promise.all(loops);
for (const pool of pools) await pool.destroy();
await close();
rmSync(storageDir, { recursive: true, force: true });
process.exit(0);
