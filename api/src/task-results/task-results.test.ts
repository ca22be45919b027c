import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AnalysisTaskStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { taskDir } from '@seqpanel/crds/storage.ts';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { taskOutputs } from '../../test-support/task-outputs.ts';
import { writeStepAttempts } from './step-attempts.ts';

let api: TestApi;
let lab: Laboratory;
let staff: TestUser;
let task: string;
beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
  staff = await api.addUser({ staff: true });
});
afterAll(() => api.close());
beforeEach(async () => {
  await api.deps.db('task').delete();
  task = await lab.launch(['S1', 'S2']);
});

const started = '2026-01-01T00:00:00Z';
const finished = '2026-01-01T00:05:00Z';
const seen = new Date('2026-01-01T00:10:00Z');
/** Counts that mark a step as running per sample. */
const ofTwo = { samples: { total: 2, done: 1, failed: 0 } };
const record = async (...steps: StepStatus[]): Promise<void> => {
  const status: AnalysisTaskStatus = { stages: [{ name: 'secondary', state: 'Running', steps }] };
  const { db } = api.deps;
  await db('task')
    .where({ id: task })
    .update({ mirror: JSON.stringify(status) });
  await db.transaction((trx) => writeStepAttempts(trx, task, status, seen));
};
const get = async (path = '') =>
  (await api.call('GET', `/api/v1/pivat/admin/task_results${path}`, { token: staff.token })).body;
// biome-ignore lint/suspicious/noExplicitAny: rows as the api answers them
const rowOf = async (step: string, attempt = 1): Promise<any> =>
  (await get('?page_size=200')).results.find(
    ({ meta }: { meta: { step: string; attempt: number } }) => meta.step === step && meta.attempt === attempt,
  );

describe('the task results of all groups', () => {
  test('[WORK-04] a row has id, task id, done date, status, content type, content encoding, result, traceback, hidden and meta', async () => {
    await record({ name: 'cohort', state: 'Succeeded', attempt: 1, job: 'j-cohort-1', started, finished });
    expect((await get()).results).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        task_id: task,
        date_done: '2026-01-01T00:05:00.000Z',
        status: 'Succeeded',
        content_type: 'application/json',
        content_encoding: 'utf-8',
        result: `tasks/${task}/cohort/result.json`,
        traceback: null,
        hidden: false,
        meta: {
          step: 'cohort',
          attempt: 1,
          job: 'j-cohort-1',
          reason: null,
          message: null,
          started: '2026-01-01T00:00:00.000Z',
          task: 'run-1',
          group: expect.any(String),
        },
      },
    ]);
  });

  test('each attempt of a step is a row that keeps its id and its end, and only the last one has the result', async () => {
    const first = { name: 'cohort', state: 'Running' as const, attempt: 1, job: 'j-1', started };
    await record(first);
    const { id } = await rowOf('cohort');
    await record({ ...first, attempt: 2, job: 'j-2', reason: 'JobLost', message: 'Job j-1 was deleted' });
    expect(await rowOf('cohort', 1)).toMatchObject({
      id,
      status: 'Failed',
      traceback: 'Job j-1 was deleted',
      date_done: seen.toISOString(),
      meta: { job: 'j-1', reason: 'JobLost' },
    });
    expect(await rowOf('cohort', 2)).toMatchObject({
      status: 'Running',
      traceback: null,
      date_done: null,
      result: null,
    });
    await record({ ...first, state: 'Succeeded', attempt: 2, job: 'j-2', finished });
    expect(await rowOf('cohort', 1)).toMatchObject({ id, status: 'Failed', result: null, meta: { reason: 'JobLost' } });
    expect(await rowOf('cohort', 2)).toMatchObject({ status: 'Succeeded', result: `tasks/${task}/cohort/result.json` });
  });

  test('failed attempts are filtered, also those that failed for some samples; rows are searched and paged', async () => {
    await record(
      { name: 'reads', state: 'Succeeded', attempt: 1, started, finished, reason: 'SamplesFailed', message: '1 of 2' },
      { name: 'cohort', state: 'Succeeded', attempt: 1, started, finished },
      { name: 'call', state: 'Failed', attempt: 1, started, finished, reason: 'StepFailed', message: 'no memory' },
    );
    const steps = async (query: string) =>
      (await get(query)).results.map(({ meta }: { meta: { step: string } }) => meta.step).sort();
    expect(await steps('?failed=true')).toEqual(['call', 'reads']);
    expect(await steps('?status=Failed,Running')).toEqual(['call']);
    expect(await steps('?q=coh')).toEqual(['cohort']);
    expect(await steps(`?q=${task.slice(0, 8)}`)).toHaveLength(3);
    const page = await get('?sort=step&dir=asc&page=2&page_size=2');
    expect([page.count, page.results.length, page.results[0].meta.step]).toEqual([3, 1, 'reads']);
  });
});

describe('one task result', () => {
  test('[WORK-04] it contains result.json from storage; for a step that runs per sample, that of the requested sample', async () => {
    const outputs = taskOutputs(api.storageDir, task);
    outputs.reads('S2', [10, 20]);
    outputs.report();
    await record(
      { name: 'reads', state: 'Running', attempt: 1, started, ...ofTwo },
      { name: 'report', state: 'Succeeded', attempt: 1, started, finished },
    );
    const report = await get(`/${(await rowOf('report')).id}`);
    expect(report).toMatchObject({ samples: [], sample: null, result: { step: 'report' }, log: null });
    const { id } = await rowOf('reads');
    expect(await get(`/${id}`)).toMatchObject({ sample: 'S1', result: null });
    expect(await get(`/${id}?sample=S2`)).toMatchObject({
      samples: [
        { name: 'S1', failed: false },
        { name: 'S2', failed: false },
      ],
      sample: 'S2',
      result: { step: 'reads', sample: 'S2' },
    });
    expect(await get(`/${id}?sample=S9`)).toMatchObject({ code: 'not_found' });
  });

  test('[WORK-04] its log is the tail of the failed sample’s log, or the lines kept in the status', async () => {
    const { db } = api.deps;
    await db('task_sample')
      .where({ task_id: task, name: 'S2' })
      .update({ failure: JSON.stringify({ step: 'reads' }) });
    await record({ name: 'reads', state: 'Failed', attempt: 1, started, finished, message: 'S2: cut gzip', ...ofTwo });
    const { id } = await rowOf('reads');
    const failures = [{ sample: 'S2', step: 'reads', logTail: 'kept by the status' }];
    await db('task')
      .where({ id: task })
      .update({ mirror: db.raw('mirror || ?::jsonb', [JSON.stringify({ failures })]) });
    expect(await get(`/${id}`)).toMatchObject({ sample: 'S2', log: { name: null, text: 'kept by the status' } });
    const path = join(api.storageDir, taskDir(task), 'logs/reads-S2.log');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Array.from({ length: 300 }, (_, i) => `line ${i + 1}\n`).join(''));
    const { log } = await get(`/${id}`);
    expect(log.name).toBe('reads-S2.log');
    expect(log.text.split('\n').slice(0, 1)).toEqual(['line 201']);
  });

  test('[WORK-04] results of deleted output are hidden, and storage is not read for them', async () => {
    taskOutputs(api.storageDir, task).report();
    await record({ name: 'report', state: 'Succeeded', attempt: 1, started, finished });
    await api.deps.db('task').where({ id: task }).update({ results_deleted: new Date() });
    const row = await rowOf('report');
    expect(row).toMatchObject({ hidden: true, result: null });
    expect(await get(`/${row.id}`)).toMatchObject({ result: null, log: null });
  });
});

describe('the step attempts of one task', () => {
  const list = async () =>
    (await api.call('GET', `/api/v1/pivat/${lab.group}/tasks/${task}/results`, { token: lab.user.token })).body.results;

  test('a step that runs per sample has the result and the log of the failed sample', async () => {
    const outputs = taskOutputs(api.storageDir, task);
    outputs.reads('S1', [10, 20]);
    outputs.log('reads-S2.log', 'the gzip file ends early\n');
    await api.deps
      .db('task_sample')
      .where({ task_id: task, name: 'S2' })
      .update({ failure: JSON.stringify({ step: 'reads' }) });
    await record({ name: 'reads', state: 'Failed', attempt: 1, started, finished, message: '1 of 2', ...ofTwo });
    expect(await list()).toMatchObject([
      { step: 'reads', sample: 'S2', status: 'Failed', result: null, traceback: 'the gzip file ends early\n' },
    ]);
  });

  test('a step that runs per sample without a failure has the result of the first sample and no traceback', async () => {
    taskOutputs(api.storageDir, task).reads('S1', [10, 20]);
    await record({ name: 'reads', state: 'Running', attempt: 1, started, ...ofTwo });
    expect(await list()).toMatchObject([
      { step: 'reads', sample: 'S1', result: { step: 'reads', sample: 'S1' }, traceback: null },
    ]);
  });

  test('an attempt without a log has the message of its status as traceback', async () => {
    await record({ name: 'cohort', state: 'Failed', attempt: 1, started, finished, message: 'no memory' });
    expect(await list()).toMatchObject([{ step: 'cohort', sample: null, result: null, traceback: 'no memory' }]);
  });
});
