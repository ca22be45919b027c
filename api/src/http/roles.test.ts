import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { addGenome, aPanel, GENOME, panelFileOf, panelForm } from '../../test-support/panels.ts';
import { fastq } from '../../test-support/sequences.ts';
import { createUpload, uploadFile } from '../../test-support/tus.ts';
import { buildDocument, operationsOf, type Role } from '../openapi/document.ts';

/** One row a kind of caller: who may call a route of which role, in the group of the path. */
const CALLERS = ['nobody', 'member', 'admin', 'outsider', 'staff'] as const;
type CallerName = (typeof CALLERS)[number];

/** What a refused caller gets; anything else than these three says that the caller was admitted. */
const EXPECTED: Record<Role, Record<CallerName, 'in' | 401 | 403 | 404>> = {
  public: { nobody: 'in', member: 'in', admin: 'in', outsider: 'in', staff: 'in' },
  // A token for one file is checked by the handler: without it nobody comes in, whoever else he is.
  'file-token': { nobody: 401, member: 401, admin: 401, outsider: 401, staff: 401 },
  user: { nobody: 401, member: 'in', admin: 'in', outsider: 'in', staff: 'in' },
  'group-member': { nobody: 401, member: 'in', admin: 'in', outsider: 404, staff: 404 },
  'group-admin': { nobody: 401, member: 403, admin: 'in', outsider: 404, staff: 404 },
  'staff-or-group-admin': { nobody: 401, member: 403, admin: 'in', outsider: 403, staff: 'in' },
  staff: { nobody: 401, member: 403, admin: 403, outsider: 403, staff: 'in' },
};

let api: TestApi;
let group: string;
let users: Record<Exclude<CallerName, 'nobody'>, TestUser>;
let outsiderGroup: string;
/** Staff and administrator of the group, but with a one-time password. */
let beginner: TestUser;
/** Ids of things that belong to `group`. */
let things: Record<string, string>;

beforeAll(async () => {
  api = await startApi();
  await addGenome(api.deps.db);
  [group, outsiderGroup] = [await api.addGroup(), await api.addGroup()];
  users = {
    member: await api.addUser({ groups: { [group]: 'member' } }),
    admin: await api.addUser({ groups: { [group]: 'admin' } }),
    outsider: await api.addUser({ groups: { [outsiderGroup]: 'member' } }),
    staff: await api.addUser({ staff: true }),
  };
  things = await makeThings();
  beginner = await addBeginner();
});
afterAll(() => api?.close());

const operations = [...operationsOf(buildDocument())].map(({ path, method, operation }) => ({
  id: operation.operationId,
  role: operation['x-role'],
  path,
  method: method.toUpperCase(),
}));

/** Fills the path with ids that do not exist; tokens in the query are wrong ones. */
const fill = (path: string, values: Record<string, string> = {}): string =>
  path.replace(
    /\{(\w+)\}/g,
    (_, name: string) =>
      values[name] ?? (name === 'panel' || name === 'name' || name === 'sample' ? 'x' : randomUUID()),
  );

const callAs = async (caller: CallerName, method: string, path: string, body?: unknown) =>
  await api.call(method, path, {
    token: caller === 'nobody' ? undefined : users[caller].token,
    ...(method !== 'GET' && method !== 'HEAD' && { body: body ?? {} }),
  });

describe('[ROLE-02] [ROLE-07] [ROLE-16] [API-06] every operation answers every caller as its role says', () => {
  test.each(operations.filter(({ id }) => id !== 'logout'))('$method $path ($role)', async ({ role, path, method }) => {
    const query = role === 'file-token' ? '?token=x' : '';
    const answers = await Promise.all(
      CALLERS.map(async (caller) => ({ caller, ...(await callAs(caller, method, fill(path, { group }) + query)) })),
    );
    for (const { caller, status, body } of answers) {
      const expected = EXPECTED[role][caller];
      const code = typeof body === 'object' ? body?.code : undefined;
      // Whoever is admitted fails later: the ids do not exist (404), the bodies are empty (400). Nothing may break.
      if (expected === 'in') {
        const refused = code === 'permission_denied' || (code === 'unauthorized' && role !== 'public');
        expect({ caller, refused }).toEqual({ caller, refused: false });
        expect({ caller, broken: status >= 500 && status !== 503 ? body : false }).toEqual({ caller, broken: false });
      } else expect({ caller, status }).toEqual({ caller, status: expected });
      if (expected === 403) expect(code).toBe('permission_denied');
    }
  });
});

describe('with a one-time password', () => {
  const OPEN = new Set(['changePassword', 'getProfile']);
  test.each(operations.filter(({ id, role }) => id !== 'logout' && role !== 'public' && role !== 'file-token'))(
    '$method $path answers password_change_required, but for the profile and the change itself',
    async ({ id, path, method }) => {
      const { status, body } = await api.call(method, fill(path, { group }), {
        token: beginner.token,
        ...(method !== 'GET' && method !== 'HEAD' && { body: {} }),
      });
      const code = typeof body === 'object' ? body?.code : undefined;
      if (OPEN.has(id)) expect(code).not.toBe('password_change_required');
      else if (method === 'HEAD') expect(status).toBe(403);
      else expect([status, code]).toEqual([403, 'password_change_required']);
    },
  );

  test('its session can be verified, refreshed and ended', async () => {
    const other = await addBeginner();
    const post = (path: string, body: object, token?: string) => api.call('POST', path, { body, token });
    expect((await post('/api/v1/pivat/api-token-verify', { token: other.token })).status).toBe(200);
    const refreshed = await post('/api/v1/pivat/api-token-refresh', { refresh: other.refresh });
    expect(refreshed.status).toBe(200);
    const { access, refresh } = refreshed.body;
    expect((await post('/auth/logout', { refresh_token: refresh }, access)).status).toBe(204);
  });

  test('all is open after the change, in the same session', async () => {
    const other = await addBeginner();
    const list = () => api.call('GET', `/api/v1/pivat/${group}/projects`, { token: other.token });
    expect((await list()).body.code).toBe('password_change_required');
    const body = { current_password: other.password, new_password: 'Newer-Horse8', repeat_password: 'Newer-Horse8' };
    const { status } = await api.call('POST', '/api/v1/pivat/profile/password', { token: other.token, body });
    expect(status).toBe(204);
    expect((await list()).status).toBe(200);
  });
});

describe('the account of the demo', () => {
  const DEMO_CALLS = [
    ...['createGenome', 'createGroup', 'createPanelType', 'getGenome', 'getPanelType'],
    ...['listGenomes', 'listGroups', 'listPanelTypes', 'listUsers'],
  ];
  test('may make those calls of staff that the demo makes, and none that changes an account or a setting', async () => {
    const demo = await api.addUser({ staff: true });
    await api.deps.db('app_user').where({ id: demo.id }).update({ is_demo: true });
    const open: string[] = [];
    for (const { id, role, path, method } of operations) {
      const isLimited = role.startsWith('staff') || id === 'changePassword' || id === 'updateProfile';
      if (!isLimited) continue;
      const body = method === 'GET' || method === 'HEAD' ? undefined : {};
      const answer = await api.call(method, fill(path, { group }), { token: demo.token, body });
      if (answer.body?.code !== 'permission_denied') open.push(id);
    }
    expect(open.sort()).toEqual(DEMO_CALLS);
  });
});

/** What can be done to each thing; each must answer 404 through another group, to one who is in that group. */
const OBJECT_CALLS: readonly { method: string; path: string; body?: object }[] = [
  { method: 'GET', path: '/projects/{project}' },
  { method: 'PUT', path: '/projects', body: { name: 'x' } },
  { method: 'POST', path: '/projects/{project}/delete' },
  { method: 'GET', path: '/projects/{project}/filelist' },
  { method: 'PUT', path: '/projects/{project}/filelist' },
  { method: 'POST', path: '/projects/{project}/filelist/{file}/delete' },
  { method: 'POST', path: '/project-files/{file}/delete' },
  { method: 'GET', path: '/project-files/{file}/generate-token' },
  { method: 'HEAD', path: '/uploads/{upload}' },
  { method: 'PATCH', path: '/uploads/{upload}' },
  { method: 'DELETE', path: '/uploads/{upload}' },
  { method: 'GET', path: '/custom-preset/{preset}' },
  { method: 'GET', path: '/custom-preset/secret_panel/{presetName}' },
  { method: 'DELETE', path: '/custom-preset/{preset}' },
  { method: 'GET', path: '/custom-preset/default/{panel}' },
  { method: 'GET', path: '/custom-preset/metadata/secret_panel' },
  { method: 'GET', path: '/panel-types/{panel}/panel-file' },
];

describe("[ROLE-17] another group's object is not there", () => {
  test.each(OBJECT_CALLS)('$method $path', async ({ method, path, body }) => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => things[name]!);
    const withId = body && { id: things['project'], ...body };
    for (const through of [outsiderGroup, '0']) {
      const answer = await callAs('outsider', method, `/api/v1/pivat/${through}${filled}`, withId);
      expect({ through, status: answer.status }).toEqual({ through, status: 404 });
    }
  });

  test('and is there for its own group', async () => {
    for (const path of [
      `/projects/${things['project']}`,
      `/custom-preset/${things['preset']}`,
      `/panel-types/${things['panel']}/panel-file`,
    ]) {
      expect((await callAs('member', 'GET', `/api/v1/pivat/${group}${path}`)).status).toBe(200);
    }
  });
});

test('[ROLE-18] group 0 is the default group, and who has none is told whom to ask', async () => {
  const { body } = await callAs('member', 'GET', '/api/v1/pivat/0/projects');
  expect(body.results.map(({ id }: { id: string }) => id)).toEqual([things['project']]);
  expect((await callAs('staff', 'GET', '/api/v1/pivat/0/projects')).body).toMatchObject({ code: 'no_default_group' });
});

test('a member who left the group, or whose group was disabled, is out at once', async () => {
  const shortly = await api.addGroup();
  const leaver = await api.addUser({ groups: { [group]: 'member', [shortly]: 'member' } });
  const list = (id: string) => api.call('GET', `/api/v1/pivat/${id}/projects`, { token: leaver.token });
  expect((await list(shortly)).status).toBe(200);
  await api.deps.db('user_group').where({ id: shortly }).update({ active: false });
  expect((await list(shortly)).status).toBe(404);
  expect((await list(group)).status).toBe(200);
  await api.deps.db('membership').where({ user_id: leaver.id, group_id: group }).delete();
  expect((await list(group)).status).toBe(401); // no active group is left
});

async function addBeginner(): Promise<TestUser> {
  const user = await api.addUser({ staff: true, groups: { [group]: 'admin' } });
  await api.deps.db('app_user').where({ id: user.id }).update({ must_change_password: true });
  return user;
}

async function makeThings(): Promise<Record<string, string>> {
  const base = `/api/v1/pivat/${group}`;
  const { token } = users.member;
  const project = (await api.call('POST', `${base}/projects`, { token, body: { name: 'secret' } })).body.id;
  const target = { api, user: users.member, group, project };
  await uploadFile(target, 'S1.fq', fastq(1));
  const file = (await api.call('GET', `${base}/projects/${project}/filelist`, { token })).body.results[0].id;
  const upload = (await createUpload(target, 'S2.fq', 100)).headers.get('location')!.split('/').at(-1)!;
  const form = panelForm(
    { display_name: 'Secret', value: 'secret_panel', genome: GENOME, group_list: JSON.stringify([group]) },
    { panel_file: panelFileOf(aPanel('secret_panel')) },
  );
  const panel = (await api.call('POST', '/api/v1/pivat/admin/panel_types', { token: users.staff.token, form })).body.id;
  const content = (await api.call('GET', `${base}/custom-preset/default/${panel}`, { token })).body;
  const preset = await api.call('POST', `${base}/custom-preset`, {
    token,
    body: { content: { ...content, name: 'hidden' } },
  });
  return { project, file, upload, panel, preset: preset.body.info.id, presetName: 'hidden' };
}
