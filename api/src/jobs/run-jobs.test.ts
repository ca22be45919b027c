import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';
import { JobFailed, type JobKind, type JobRun } from './job-kind.ts';
import { cancelJob, readJob } from './read-jobs.ts';
import { createJobRunner, MAX_ATTEMPTS } from './run-jobs.ts';
import { startJob } from './start-job.ts';

const log = pino({ level: 'silent' });
const now = () => new Date('2026-11-22T10:00:00Z');
const TASK = '11111111-1111-4111-8111-111111111111';
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.db('job').delete());
afterAll(() => database.close());

const start = (subject?: string) =>
  database.db.transaction((trx) =>
    startJob(
      trx,
      { kind: 'count', group: null, username: 'ada', ...(subject && { subject }), payload: { to: 3 } },
      now(),
    ),
  );
const read = (id: string) => readJob(database.db, undefined, id);

/** Runs the jobs until `until` holds, then ends the process's work. */
async function runUntil(run: JobKind['run'], until: () => Promise<boolean>): Promise<void> {
  const ends = new AbortController();
  const runner = createJobRunner({ db: database.db, log, now, kinds: () => [{ kind: 'count', run }], beatMs: 20 });
  const running = runner.run(ends.signal);
  while (!(await until())) await sleep(20);
  ends.abort();
  await running;
}
const hasState = (id: string, state: string) => async () => (await read(id)).state === state;

test('a job runs once, with its payload, and its result and progress are kept', async () => {
  const id = await start();
  let runs = 0;
  const count = async ({ payload, progress }: JobRun) => {
    runs++;
    progress(3, 3);
    return { counted: payload['to'] };
  };
  await runUntil(count, hasState(id, 'completed'));
  expect(await read(id)).toMatchObject({
    state: 'completed',
    done: 3,
    total: 3,
    result: { counted: 3 },
    error: null,
    user: 'ada',
    finished: '2026-11-22T10:00:00.000Z',
  });
  expect(runs).toBe(1);
});

test('a second open job of the same kind for one object is refused, and a later one is not', async () => {
  const id = await start(TASK);
  await expect(start(TASK)).rejects.toMatchObject({ code: 'job_is_running' });
  await runUntil(async () => ({}), hasState(id, 'completed'));
  expect(await start(TASK)).not.toBe(id);
});

test('the job of a killed process is done again by another one', async () => {
  const id = await start();
  await database
    .db('job')
    .where({ id })
    .update({
      state: 'running',
      attempts: 1,
      leased_by: TASK,
      leased_until: database.db.raw("now() - interval '1 second'"),
    });
  await runUntil(async () => ({ again: true }), hasState(id, 'completed'));
  expect((await read(id)).result).toEqual({ again: true });
});

test('a job whose process is alive is not taken by another one', async () => {
  const id = await start();
  const lease = { state: 'running' as const, leased_by: TASK };
  await database
    .db('job')
    .where({ id })
    .update({ ...lease, leased_until: database.db.raw("now() + interval '1 minute'") });
  let waited = 0;
  await runUntil(
    () => Promise.reject(new Error('taken')),
    async () => ++waited > 10,
  );
  expect(await read(id)).toMatchObject({ state: 'running', error: null });
});

test('a job that fails unexpectedly is tried again, and a refused one is not', async () => {
  const broken = await start();
  let runs = 0;
  const breaks = () => {
    runs++;
    return Promise.reject(new Error('disk is full'));
  };
  await runUntil(breaks, hasState(broken, 'failed'));
  expect(runs).toBe(MAX_ATTEMPTS);
  expect(await read(broken)).toMatchObject({ error: 'disk is full' });
  const refused = await start();
  runs = 0;
  const refuses = () => {
    runs++;
    return Promise.reject(new JobFailed('the folder is gone'));
  };
  await runUntil(refuses, hasState(refused, 'failed'));
  expect(runs).toBe(1);
});

test('a canceled job stops at once, whether it waits or runs', async () => {
  const waiting = await start();
  expect((await cancelJob(database.db, undefined, waiting, now())).state).toBe('canceled');
  await expect(cancelJob(database.db, undefined, waiting, now())).rejects.toMatchObject({ code: 'job_has_ended' });
  const id = await start();
  const never = async ({ signal }: JobRun) => {
    await cancelJob(database.db, undefined, id, now());
    await sleep(60_000, undefined, { signal });
    return {};
  };
  await runUntil(never, hasState(id, 'canceled'));
  expect((await read(id)).finished).toBe('2026-11-22T10:00:00.000Z');
});

test('a process that ends leaves its job to the next one without counting the attempt', async () => {
  const id = await start();
  let begun = false;
  const waits = async ({ signal }: JobRun) => {
    begun = true;
    await sleep(60_000, undefined, { signal });
    return {};
  };
  await runUntil(waits, async () => begun);
  expect(await database.db('job').where({ id }).first('attempts', 'leased_by', 'state')).toEqual({
    attempts: 0,
    leased_by: null,
    state: 'running',
  });
});
