import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';

let api: TestApi;
let lab: Laboratory;
beforeAll(async () => {
  api = await startApi();
  lab = await aLaboratory(api);
});
afterAll(() => api?.close());

const projects = (group: string, token: string) => api.call('GET', `/api/v1/pivat/${group}/projects`, { token });

test('[ROLE-18] group 0 is the default group; users without one get a message to ask an administrator', async () => {
  const { body } = await projects('0', lab.user.token);
  expect(body.results.map(({ id }: { id: string }) => id)).toEqual([lab.project]);
  const staff = await api.addUser({ staff: true });
  expect((await projects('0', staff.token)).body).toMatchObject({ code: 'no_default_group' });
});

test('a member who left the group, or whose group was disabled, loses access at once', async () => {
  const shortly = await api.addGroup();
  const leaver = await api.addUser({ groups: { [lab.group]: 'member', [shortly]: 'member' } });
  expect((await projects(shortly, leaver.token)).status).toBe(200);
  await api.deps.db('user_group').where({ id: shortly }).update({ active: false });
  expect((await projects(shortly, leaver.token)).status).toBe(404);
  expect((await projects(lab.group, leaver.token)).status).toBe(200);
  await api.deps.db('membership').where({ user_id: leaver.id, group_id: lab.group }).delete();
  expect((await projects(lab.group, leaver.token)).status).toBe(401); // no active group is left
});

test("a file of another project or group is not deleted through the caller's own project", async () => {
  const { db } = api.deps;
  const outsideGroup = await api.addGroup();
  const outsider = await api.addUser({ groups: { [outsideGroup]: 'admin' } });
  const own = await api.call('POST', `/api/v1/pivat/${outsideGroup}/projects`, {
    token: outsider.token,
    body: { name: 'own' },
  });
  const file = await lab.addFile('S9_R1.fastq');
  const remove = (id: string) =>
    api.call('POST', `/api/v1/pivat/${outsideGroup}/projects/${own.body.id}/filelist/${id}/delete`, {
      token: outsider.token,
    });
  expect(await remove(file)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect(await db('project_file').where({ id: file }).first('deleted')).toEqual({ deleted: null });
});
