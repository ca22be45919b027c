import { startApi, type TestApi } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { countTasks, launchTask, rerunTask } from '../../test-support/launch-calls.ts';

let api: TestApi;
let lab: Laboratory;
beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
});
afterAll(() => api.close());

describe('the open tasks of a group', () => {
  const limit = (value: number) =>
    api.deps
      .db('setting')
      .insert({ name: 'open_tasks_per_group', value: JSON.stringify(value), modified: new Date() })
      .onConflict('name')
      .merge();
  const open = async (): Promise<number> =>
    Number(
      (await api.deps
        .db('task')
        .where({ group_id: lab.group })
        .whereIn('status', ['queued', 'starting', 'running'])
        .count({ n: '*' })
        .first())!.n,
    );
  afterAll(() => api.deps.db('setting').where({ name: 'open_tasks_per_group' }).delete());

  test('never exceed the setting, also for parallel launches, and ended tasks do not count', async () => {
    await limit((await open()) + 2);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => launchTask(api, lab, lab.definition(['S1'], { name: `many-${i}` }))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429, 429]);
    const [id] = answers.find(({ status }) => status === 201)!.body.tasks.map((task: { id: string }) => task.id);
    const rerun = () => rerunTask(api, lab, id, {});
    const before = await countTasks(api);
    const refused = await rerun();
    expect([refused.status, refused.body.code]).toEqual([429, 'open_tasks_exceeded']);
    expect(refused.body.details).toMatchObject({ more: 1, limit: await open() });
    expect(await countTasks(api)).toBe(before);
    await api.deps.db('task').where({ id }).update({ status: 'completed' });
    expect((await rerun()).status).toBe(201);
  });

  test('have no limit when the setting is 0', async () => {
    await limit(0);
    expect((await launchTask(api, lab, lab.definition(['S1'], { name: 'free' }))).status).toBe(201);
  });
});
