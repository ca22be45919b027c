import { completedTask } from '../../test-support/completed-task.ts';
import { readStorageUse } from '../storage/storage-use.ts';

const given = completedTask();

test('[TASK-06] [TASK-04] the detail of a task has its facts, the five stages and the urls of this status', async () => {
  const { lab, id } = given.task;
  const emailed = await lab.launch(['S1'], { name: 'run-2', notify: ['a@lab.example', 'b@lab.example'] });
  const [created, started, finished] = ['08:00:00', '08:00:10', '09:02:10'].map(
    (time) => new Date(`2026-11-01T${time}.000Z`),
  );
  await given.api.deps
    .db('task')
    .where({ id: emailed })
    .update({ created, started, finished, status: 'completed', stage: 'report', stage_number: 5 });
  const { body } = await given.api.call('GET', `/api/v1/pivat/${lab.group}/tasks/${emailed}`, {
    token: lab.user.token,
  });
  expect(body).toMatchObject({
    id: emailed,
    name: 'run-2',
    user: lab.user.username,
    status: 'completed',
    stage: 'report',
    panel: { name: 'Toy panel', value: 'toy_panel' },
    pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
    preset: { name: 'default' },
    source: 'fq',
    project: { name: 'p1' },
    date: '2026-11-01T08:00:00.000Z',
    finished: '2026-11-01T09:02:10.000Z',
    duration_seconds: 3720,
    email: ['a@lab.example', 'b@lab.example'],
  });
  const finishedTask = (await given.task.get('')).body;
  expect(finishedTask.stages.map(({ name }: { name: string }) => name)).toEqual([
    'secondary',
    'annotation',
    'post-filter',
    'qc',
    'report',
  ]);
  expect(finishedTask.urls).toMatchObject({ abort: null, rerun: `/${lab.group}/task-rerun/${id}` });
});

test('[TASK-07] a failed task holds its folders, files, spec, error output, notes, uid, counts and deletion date', async () => {
  const { lab } = given.task;
  const id = await lab.launch(['S1', 'S2'], { name: 'run-3' });
  const reads = { name: 'reads', state: 'Failed', attempt: 1, message: 'S1: truncated gzip file' };
  await given.api.deps
    .db('task')
    .where({ id })
    .update({
      status: 'failed',
      mirror: JSON.stringify({ stages: [{ name: 'secondary', state: 'Failed', steps: [reads] }] }),
      notes: 'Repeat with more DNA',
      uid: '99999999-9999-4999-8999-999999999999',
      samples_incomplete: 1,
      autodelete_date: new Date('2027-01-01T00:00:00Z'),
    });
  const { body } = await given.api.call('GET', `/api/v1/pivat/${lab.group}/tasks/${id}`, { token: lab.user.token });
  expect(body).toMatchObject({
    folder_name: id,
    output: `tasks/${id}`,
    output_copy: null,
    output_final: `tasks/${id}`,
    input_files: 4,
    args: { name: 'run-3', panelType: { name: 'toy-panel' }, requestedBy: lab.user.username },
    stderr: 'S1: truncated gzip file',
    notes: 'Repeat with more DNA',
    celery_id: '99999999-9999-4999-8999-999999999999',
    samples: { total: 2, incomplete: 1 },
    autodelete: true,
    autodelete_date: '2027-01-01T00:00:00.000Z',
  });
  expect((await given.task.get('')).body).toMatchObject({ stderr: null, autodelete: false, autodelete_date: null });
  await given.api.deps.db('task').where({ id }).delete();
});

test('[AUDIT-04] saving the notes creates an audit entry with the old and new text; saving them unchanged creates none', async () => {
  const { lab, id } = given.task;
  const { db } = given.api.deps;
  const save = (notes: string) =>
    given.api.call('PUT', `/api/v1/pivat/${lab.group}/tasks/${id}/notes`, { token: lab.user.token, body: { notes } });
  expect((await save('Repeat with more DNA')).body.notes).toBe('Repeat with more DNA');
  await save('Repeat with more DNA');
  const entries = await db('audit_log').where({ resource_type: 'task', resource_id: id, action: 'update' });
  expect(entries).toMatchObject([
    { user_id: lab.user.id, resource: 'run-1', changes: [{ field: 'notes', from: '', to: 'Repeat with more DNA' }] },
  ]);
  await save('');
});

test('[TASK-10] taskinfo has the frozen settings, samples and input files', async () => {
  const { body } = await given.task.get('/taskinfo');
  expect(body).toMatchObject({
    preset: { name: 'default' },
    panel: { value: 'toy_panel' },
    samples: [{ name: 'S1' }, { name: 'S2' }],
  });
  expect(body.input_files[0]).toMatchObject({ sample: 'S1', name: 'S1_R1.fastq', read: 'R1' });
  expect(body.sha256['frozen.json']).toMatch(/^[0-9a-f]{64}$/);
});

test('[TASK-01] [TASK-02] the list is filtered, searched, sorted and paged on the server', async () => {
  const { lab, id } = given.task;
  await given.api.deps.db('task').whereNot({ id }).delete();
  await lab.launch(['S1'], { name: 'other' });
  const list = async (query: string) =>
    (await given.api.call('GET', `/api/v1/pivat/${lab.group}/tasks?${query}`, { token: lab.user.token })).body;
  expect((await list('status=completed')).results).toHaveLength(1);
  expect((await list('q=S2')).results.map((row: { id: string }) => row.id)).toEqual([id]);
  expect((await list('q=100%25')).count).toBe(0);
  expect((await list('qc_failed=true')).count).toBe(1);
  expect((await list('owner=me&page_size=1')).results).toHaveLength(1);
  expect(await list('page=9')).toEqual({ count: 2, results: [] });
  // The first page is read by a statement of its own.
  expect((await list('')).results).toHaveLength(2);
  expect(await list('page_size=20')).toEqual(await list('page_size=21'));
  for (const sort of [
    'id',
    'name',
    'date',
    'status',
    'stage',
    'group',
    'user',
    'panel',
    'preset',
    'project',
    'samples',
    'duration',
  ]) {
    expect((await list(`sort=${sort}&dir=asc`)).count).toBe(2);
  }
});

test('[TASK-13] abort is rejected after a task has ended; [TASK-12] before dispatch it cancels the intent', async () => {
  const { lab } = given.task;
  const abort = (id: string) =>
    given.api.call('POST', `/api/v1/pivat/${lab.group}/tasks/${id}/abort`, { token: lab.user.token });
  const refused = await abort(given.task.id);
  expect([refused.status, refused.body.code]).toEqual([409, 'task_not_abortable']);
  const never = await lab.launch(['S1'], { name: 'never' });
  expect((await abort(never)).body).toMatchObject({ status: 'aborted', can_abort: false });
  expect(
    await given.api.deps
      .db('outbox')
      .where({ object: `AnalysisTask/${never}` })
      .select('state'),
  ).toEqual([{ state: 'cancelled' }]);
});

test('[TASK-12] an abort after an unanswered attempt also aborts the resource that may exist', async () => {
  const { lab } = given.task;
  const { db } = given.api.deps;
  const id = await lab.launch(['S1'], { name: 'tried' });
  await db('outbox')
    .where({ object: `AnalysisTask/${id}` })
    .update({ attempts: 1 });
  const { body } = await given.api.call('POST', `/api/v1/pivat/${lab.group}/tasks/${id}/abort`, {
    token: lab.user.token,
  });
  expect(body).toMatchObject({ status: 'aborted' });
  const rows = await db('outbox')
    .where({ object: `AnalysisTask/${id}` })
    .orderBy('id');
  expect(rows).toMatchObject([
    { state: 'cancelled', intent: { type: 'launch' } },
    {
      state: 'pending',
      urgent: true,
      group_key: lab.group,
      intent: { type: 'patch', patch: { spec: { abort: true } } },
    },
  ]);
});

test("a task's outputs count against the allocation of its group and not against the quota of its user", async () => {
  const { lab, id } = given.task;
  const use = async () => await readStorageUse(given.api.deps.db, lab.group, lab.user.id);
  const before = await use();
  await given.api.deps.db('task').where({ id }).update({ output_bytes: 5_000_000_000 });
  const after = await use();
  expect(after.groupUsed - before.groupUsed).toBe(5_000_000_000);
  expect(after.userUsed).toBe(before.userUsed);
});
