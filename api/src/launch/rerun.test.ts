import { randomUUID } from 'node:crypto';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { countTasks, rerunTask } from '../../test-support/launch-calls.ts';

let api: TestApi;
let lab: Laboratory;
beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
});
afterAll(() => api.close());

describe('task-rerun', () => {
  const rerun = (id: string, body?: unknown) => rerunTask(api, lab, id, body);

  test('[API-27] [TASK-14] a rerun is a new task with the frozen copies of the earlier one', async () => {
    const id = await lab.launch(['S1'], { name: 'again' });
    const { status, body } = await rerun(id);
    expect(status).toBe(201);
    const [before, after] = await Promise.all(
      [id, body.tasks[0].id].map((task) => api.deps.db('task').where({ id: task }).first()),
    );
    expect(after!.frozen).toEqual(before!.frozen);
    expect(after!.spec).toEqual(before!.spec);
    expect(after!.rerun_of).toBe(id);
    expect(await api.deps.db('task_sample').where({ task_id: after!.id })).toHaveLength(1);
  });

  test('two identical reruns at the same moment answer the same task', async () => {
    const id = await lab.launch(['S1'], { name: 'doubled' });
    const key = { 'idempotency-key': randomUUID() };
    const ask = (body: object = {}) =>
      api.call('POST', `/api/v1/pivat/${lab.group}/task-rerun/${id}/`, { token: lab.user.token, headers: key, body });
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.tasks[0].id)).size).toBe(1);
    expect(await api.deps.db('task').where({ rerun_of: id })).toHaveLength(1);
    const other = await ask({ name: 'renamed' });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
  });

  test('[TASK-16] [TASK-17] [ERR-28] a rerun with an updated preset is rejected unless the old version is requested', async () => {
    const preset = await lab.addPreset('moving');
    const id = await lab.launch(['S1'], { name: 'moved', preset });
    await api.deps.db('preset').where({ id: preset }).update({ version: 2, content: '{}' });
    const refused = await rerun(id, {});
    expect([refused.status, refused.body.code]).toEqual([409, 'preset_updated']);
    const check = await api.call('GET', `/api/v1/pivat/${lab.group}/task-rerun/${id}`, { token: lab.user.token });
    expect(check.body).toMatchObject({
      allowed: true,
      warnings: [{ code: 'preset_updated' }],
      definition: { name: 'moved' },
    });
    const { body } = await rerun(id, { use_old_version: true });
    const after = await api.deps.db('task').where({ id: body.tasks[0].id }).first();
    const before = await api.deps.db('task').where({ id }).first();
    expect(after!.frozen['preset.json']).toEqual(before!.frozen['preset.json']);
  });

  test('[TASK-15] [ERR-27] [ERR-29] [ERR-30] a rerun is refused, and makes no task, when preset, panel or its value is gone', async () => {
    const preset = await lab.addPreset('going');
    const [withPreset, plain] = [
      await lab.launch(['S1'], { name: 'g1', preset }),
      await lab.launch(['S1'], { name: 'g2' }),
    ];
    await api.deps.db('preset').where({ id: preset }).update({ deleted: new Date() });
    const before = await countTasks(api);
    expect((await rerun(withPreset)).body.code).toBe('preset_deleted');
    await api.deps.db('panel_type').where({ id: lab.panel }).update({ active: false });
    expect((await rerun(plain)).body.code).toBe('panel_not_active');
    await api.deps.db('panel_type').where({ id: lab.panel }).update({ active: true, value: 'renamed' });
    expect((await rerun(plain)).body.code).toBe('panel_type_changed');
    await api.deps.db('panel_type').where({ id: lab.panel }).update({ value: 'toy_panel' });
    expect(await countTasks(api)).toBe(before);
  });

  test('a rerun is refused while an input file is deleted, and the answer names the file', async () => {
    const id = await lab.launch(['S1'], { name: 'without-file' });
    const file = api.deps.db('project_file').where({ project_id: lab.project, name: 'S1_R1.fastq' });
    await file.clone().update({ deleted: new Date() });
    const { status, body } = await rerun(id);
    await file.clone().update({ deleted: null });
    expect([status, body.code, body.DISPLAY_ERROR_MESSAGE]).toEqual([
      409,
      'launch_file_unknown',
      'S1_R1.fastq is not in the project.',
    ]);
  });

  test('[ROLE-15] a rerun is refused when the panel was taken from the group, the old version too', async () => {
    const id = await lab.launch(['S1'], { name: 'taken' });
    const limit = (groups: string[] | null) =>
      api.deps
        .db('panel_type')
        .where({ id: lab.panel })
        .update({ group_list: groups && JSON.stringify(groups) });
    await limit([randomUUID()]);
    const refused = await rerun(id, { use_old_version: true });
    await limit([lab.group]);
    const allowed = await rerun(id, { use_old_version: true });
    await limit(null);
    expect([refused.status, refused.body.code, allowed.status]).toEqual([409, 'panel_unknown', 201]);
  });
});
