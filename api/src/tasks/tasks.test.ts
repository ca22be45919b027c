import { completedTask } from '../../test-support/completed-task.ts';
import { readStorageUse } from '../storage/storage-use.ts';

const given = completedTask();

test('[TASK-06] [TASK-07] [TASK-04] the detail has every field, the five stages and the urls', async () => {
  const { body } = await given.task.get('');
  expect(body).toMatchObject({
    id: given.task.id,
    name: 'run-1',
    user: given.task.lab.user.username,
    status: 'completed',
    panel: { name: 'Toy panel', value: 'toy_panel' },
    pipeline: { version: '1.0.0' },
    preset: { name: 'default' },
    source: 'fq',
    project: { name: 'p1' },
    folder_name: given.task.id,
    output: `tasks/${given.task.id}`,
    input_files: 4,
    autodelete: false,
  });
  expect(body.stages.map(({ name }: { name: string }) => name)).toEqual([
    'secondary',
    'annotation',
    'post-filter',
    'qc',
    'report',
  ]);
  expect(body.urls).toMatchObject({ abort: null, rerun: `/${given.task.lab.group}/task-rerun/${given.task.id}` });
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
