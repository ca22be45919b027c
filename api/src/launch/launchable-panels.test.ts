import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';

let api: TestApi;
let lab: Laboratory;
let other: { group: string; project: string; user: TestUser };

beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
  const group = await api.addGroup();
  const user = await api.addUser({ groups: { [group]: 'member' } });
  other = { group, user, project: await copyOfProject(group, user) };
});
afterAll(() => api?.close());

/** Adds a project with the files of the laboratory's to another group. */
async function copyOfProject(group: string, user: TestUser): Promise<string> {
  const { db } = api.deps;
  const id = randomUUID();
  await db('project').insert({ id, group_id: group, name: 'p1', owner_id: user.id, created: new Date() });
  const files = await db('project_file').where({ project_id: lab.project });
  await db('project_file').insert(files.map((file) => ({ ...file, id: randomUUID(), project_id: id })));
  return id;
}

const panel = () => api.deps.db('panel_type').where({ id: lab.panel });
const countTasks = async () => Number((await api.deps.db('task').count({ n: '*' }).first())!.n);
const launch = async ({ group, project, user }: { group: string; project: string; user: TestUser }) => {
  const { status, body } = await api.call('POST', `/api/v1/pivat/${group}/analysis/launch-task`, {
    token: user.token,
    body: lab.definition(['S1'], { project, name: `run-${randomUUID().slice(0, 8)}` }),
  });
  return [status, body.details?.problems?.map(({ code }: { code: string }) => code)];
};

test('[ROLE-15] [PANEL-13] a panel limited to a group is launched by that group alone, an open one by every group', async () => {
  await panel().update({ group_list: JSON.stringify([lab.group]) });
  expect(await launch(lab)).toEqual([201, undefined]);
  const before = await countTasks();
  expect(await launch(other)).toEqual([400, ['panel_unknown']]);
  expect(await countTasks()).toBe(before);
  await panel().update({ group_list: null });
  expect(await launch(other)).toEqual([201, undefined]);
  expect(await countTasks()).toBe(before + 1);
});

const conditions = (valid: string) => ({
  status: JSON.stringify({
    conditions: ['Valid', 'Ready'].map((type) => ({ type, status: type === 'Valid' ? valid : 'True', message: '' })),
  }),
});

test.each([
  ['[PANEL-14] is inactive', { active: false }],
  ['[PANEL-15] has files that do not agree', { problems: JSON.stringify([{ code: 'panel_invalid', message: 'm' }]) }],
  ['[PANEL-15] has a panel file that does not parse', { panel: null }],
  ['[PANEL-15] is not valid according to the operator', conditions('False')],
  ['[PANEL-15] was not checked by the operator', conditions('Unknown')],
])('a panel type that %s is not launched', async (_what, change) => {
  const { active, problems, panel: file, status } = (await panel().first())!;
  const before = await countTasks();
  await panel().update(change as never);
  const refused = await launch(lab);
  await panel().update({
    active,
    problems: JSON.stringify(problems),
    panel: JSON.stringify(file),
    status: JSON.stringify(status),
  });
  expect(refused).toEqual([400, ['panel_not_launchable']]);
  expect(await countTasks()).toBe(before);
  expect(await launch(lab)).toEqual([201, undefined]);
});
