import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { createUpload } from '../../test-support/tus.ts';

const BASE = '/api/v1/pivat/admin';
let api: TestApi;
let staff: TestUser;

beforeAll(async () => {
  api = await startApi();
  staff = await api.addUser({ staff: true });
});
afterAll(() => api?.close());

const call = (method: string, path: string, body?: unknown) =>
  api.call(method, `${BASE}${path}`, { token: staff.token, body });
const name = () => `n${randomUUID().slice(0, 8)}`;
const PASSWORD = 'Right-Horse7';

describe('a user', () => {
  test('[API-54] [AUDIT-03] is added with groups and quota, is listed, and can log in', async () => {
    const group = await api.addGroup();
    const user = {
      username: name(),
      password: PASSWORD,
      first_name: 'Ana',
      last_name: 'Ruiz',
      email: 'a@b.org',
      is_staff: true,
      quota_gb: 1.5,
      groups: [{ id: group, is_group_admin: true }],
    };
    const { status, body } = await call('POST', '/users', user);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      username: user.username,
      first_name: 'Ana',
      last_name: 'Ruiz',
      email: 'a@b.org',
      is_staff: true,
      is_superuser: false,
      is_group_admin: true,
      is_ldap: false,
      is_active: true,
      is_demo: false,
      expires: null,
      quota_gb: 1.5,
      files: 0,
      total_size: 0,
      groups: [expect.objectContaining({ id: group, is_default: true, is_group_admin: true })],
      created: expect.any(String),
    });
    const { results } = (await call('GET', '/users?page_size=99999')).body;
    expect(results.filter(({ id }: { id: string }) => id === body.id)).toEqual([body]);
    const { body: session } = await api.call('POST', '/auth/login', {
      body: { username: user.username, password: PASSWORD },
    });
    expect(session.profile).toMatchObject({ user_id: body.id, must_change_password: true });
    const [entry] = await api.deps.db('audit_log').where({ resource_id: body.id });
    expect(entry).toMatchObject({ action: 'create', username: staff.username });
    expect(JSON.stringify(entry!.changes)).not.toContain(PASSWORD);
  });

  test('[ROLE-01] normal, staff and directory users are distinguished, as are admins and members of each group', async () => {
    const [managed, joined] = [await api.addGroup(), await api.addGroup()];
    const kinds = {
      normal: { groups: [{ id: joined }] },
      staff: { is_staff: true },
      directory: { is_ldap: true, password: undefined, groups: [{ id: joined }] },
      manager: { groups: [{ id: joined }, { id: managed, is_group_admin: true }] },
    };
    const found: Record<string, unknown> = {};
    for (const [kind, more] of Object.entries(kinds)) {
      const { body } = await call('POST', '/users', { username: name(), password: PASSWORD, ...more });
      const admin = body.groups.filter((group: { is_group_admin: boolean }) => group.is_group_admin);
      found[kind] = [
        { staff: body.is_staff, ldap: body.is_ldap, admin: body.is_group_admin },
        admin.map(({ id }: { id: string }) => id),
        body.groups.length,
      ];
    }
    expect(found).toEqual({
      normal: [{ staff: false, ldap: false, admin: false }, [], 1],
      staff: [{ staff: true, ldap: false, admin: false }, [], 0],
      directory: [{ staff: false, ldap: true, admin: false }, [], 1],
      manager: [{ staff: false, ldap: false, admin: true }, [managed], 2],
    });
  });

  test('of a username in use is refused, whatever its case', async () => {
    const username = name();
    await call('POST', '/users', { username, password: PASSWORD });
    expect(await call('POST', '/users', { username: username.toUpperCase(), password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: 'username_exists' },
    });
  });

  test.each([
    ['[USER-03] no username', { username: '' }, 'username_required'],
    ['[USER-04] a long username', { username: 'a'.repeat(151) }, 'username_too_long'],
    ['[USER-05] a short username', { username: 'ab' }, 'username_too_short'],
    ['[USER-06] other characters', { username: 'a.b' }, 'username_characters'],
    ['[USER-07] an email that is none', { email: 'x' }, 'email_invalid'],
    ['[USER-17] a weak password', { password: 'password' }, 'password_classes'],
    ['a group that is not there', { groups: [{ id: randomUUID() }] }, 'group_unknown'],
  ])('with %s is refused', async (_what, change, code) => {
    const { status, body } = await call('POST', '/users', { username: name(), password: PASSWORD, ...change });
    expect({ status, code: body.code }).toEqual({ status: 400, code });
  });
});

describe('a group', () => {
  test('[GROUP-02] [GROUP-07] [AUDIT-03] is created with managers and members', async () => {
    const [manager, member] = [await api.addUser(), await api.addUser()];
    const write = {
      name: name(),
      display_name: 'Lab',
      allocated_gb: 10,
      members: [{ user_id: manager.id, is_group_admin: true }, { user_id: member.id }],
    };
    const { status, body } = await call('POST', '/groups', write);
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: write.name, display_name: 'Lab', active: true, allocated_gb: 10, users: 2 });
    expect((await call('GET', '/groups?page_size=99999')).body.results).toContainEqual(body);
    const groups = async (user: TestUser) =>
      (await api.call('GET', '/api/v1/pivat/profile', { token: user.token })).body.groups;
    expect(await groups(manager)).toMatchObject([{ id: body.id, is_group_admin: true, is_default: true }]);
    expect(await groups(member)).toMatchObject([{ id: body.id, is_group_admin: false, is_default: true }]);
  });

  test('[GROUP-03] [GROUP-08] [AUDIT-04] is changed; a second group is not the default unless it is said', async () => {
    const user = await api.addUser();
    const members = [{ user_id: user.id }];
    const first = (await call('POST', '/groups', { name: name(), members })).body;
    const second = (await call('POST', '/groups', { name: name(), members })).body;
    const defaults = async () =>
      (await api.call('GET', '/api/v1/pivat/profile', { token: user.token })).body.groups.filter(
        (group: { is_default: boolean }) => group.is_default,
      );
    expect(await defaults()).toMatchObject([{ id: first.id }]);
    const { body } = await call('PUT', `/groups/${second.id}`, {
      version: second.version,
      display_name: 'New',
      allocated_gb: 2,
      members: [{ user_id: user.id, is_default: true }],
    });
    expect(body).toMatchObject({ display_name: 'New', allocated_gb: 2 });
    expect(await defaults()).toMatchObject([{ id: second.id }]);
    const [entry] = await api.deps.db('audit_log').where({ resource_id: second.id, action: 'update' });
    expect(entry!.changes).toContainEqual({ field: 'display_name', from: second.name, to: 'New' });
    const taken = await api.deps.db('audit_log').where({ resource_id: user.id, action: 'update' });
    expect(taken).toMatchObject([
      { resource_type: 'user', changes: [{ field: 'default_group', from: first.id, to: second.id }] },
    ]);
  });

  test('[GROUP-03] that has changed since it was read is not overwritten, also with parallel calls', async () => {
    const [a, b] = [await api.addUser(), await api.addUser()];
    const { body: read } = await call('POST', '/groups', { name: name() });
    const add = (user: TestUser, version = read.version) =>
      call('PUT', `/groups/${read.id}`, { version, members: [...read.members, { user_id: user.id }] });
    const answers = await Promise.all([add(a), add(b)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'conflict' });
    const { body: now } = await call('GET', `/groups/${read.id}`);
    expect(now.users).toBe(1);
    // Adding a member by another call is a change too.
    await call('POST', '/users', {
      username: `u-${randomUUID().slice(0, 8)}`,
      password: PASSWORD,
      groups: [{ id: read.id }],
    });
    expect((await call('PUT', `/groups/${read.id}`, { version: now.version, members: [] })).body.code).toBe('conflict');
    expect((await call('PUT', `/groups/${read.id}`, { members: [] })).status).toBe(400);
  });

  test('[ROLE-13] [GROUP-06] that staff disable refuses its members calls, refresh and login, until it is active again', async () => {
    const { body: group } = await call('POST', '/groups', { name: name() });
    const user = await api.addUser({ groups: { [group.id]: 'member' } });
    const statuses = async () => {
      const { status } = await api.call('GET', `/api/v1/pivat/${group.id}/projects`, { token: user.token });
      const refreshed = await api.call('POST', '/api/v1/pivat/api-token-refresh', { body: { refresh: user.refresh } });
      const { username, password } = user;
      const login = await api.call('POST', '/auth/login', { body: { username, password } });
      return [status, refreshed.status, login.status, login.body.code];
    };
    const set = async (active: boolean) => {
      const { version } = (await call('GET', `/groups/${group.id}`)).body;
      return (await call('PUT', `/groups/${group.id}`, { version, active })).body.active;
    };
    expect(await set(false)).toBe(false);
    expect(await statuses()).toEqual([401, 401, 403, 'group_disabled']);
    expect(await set(true)).toBe(true);
    expect(await statuses()).toEqual([200, 200, 200, undefined]);
  });

  test('[ROLE-13] takes no upload beyond the allocated size that staff set', async () => {
    const { body: group } = await call('POST', '/groups', { name: name() });
    const user = await api.addUser({ groups: { [group.id]: 'member' } });
    const { body: project } = await api.call('POST', `/api/v1/pivat/${group.id}/projects`, {
      token: user.token,
      body: { name: 'p' },
    });
    const target = { api, user, group: group.id, project: project.id };
    const { version } = (await call('GET', `/groups/${group.id}`)).body;
    expect((await call('PUT', `/groups/${group.id}`, { version, allocated_gb: 0.001 })).status).toBe(200);
    expect((await createUpload(target, 'S1.fq', 1_100_000)).status).toBe(413);
    expect((await createUpload(target, 'S1.fq', 900_000)).status).toBe(201);
  });

  test('[GROUP-04] of a name with other characters, or in use, is refused', async () => {
    expect((await call('POST', '/groups', { name: 'a b' })).body.code).toBe('group_name_characters');
    const taken = name();
    await call('POST', '/groups', { name: taken });
    expect(await call('POST', '/groups', { name: taken.toUpperCase() })).toMatchObject({
      status: 409,
      body: { code: 'group_name_exists' },
    });
  });
});

describe('settings', () => {
  test('[API-17] [SET-08] are listed with value, type, default, help and time', async () => {
    const { body } = await api.call('GET', '/api/v1/pivat/constance/', { token: staff.token });
    expect(body).toContainEqual({
      name: 'max_files_per_batch',
      tab: 'basic',
      value: 100,
      value_type: 'positive_integer',
      help_text: expect.any(String),
      raw_default: 100,
      modified: null,
    });
  });

  const put = (...values: { name: string; value: unknown }[]) =>
    api.call('PUT', '/api/v1/pivat/constance/', { token: staff.token, body: values });

  test('[API-18] [SET-03] [AUDIT-04] are saved with their time', async () => {
    const { status, body } = await put({ name: 'max_files_per_batch', value: 7 });
    expect(status).toBe(200);
    expect(body.find(({ name: one }: { name: string }) => one === 'max_files_per_batch')).toMatchObject({
      value: 7,
      modified: expect.any(String),
    });
    expect(await api.deps.settings('max_files_per_batch')).toBe(7);
    const [entry] = await api.deps.db('audit_log').where({ resource_type: 'setting' });
    expect(entry).toMatchObject({ resource: 'max_files_per_batch', changes: [{ field: 'value', from: 100, to: 7 }] });
  });

  test.each([
    ['[SET-05] 0', 'max_files_per_batch', 0, 'setting_positive_integer'],
    ['[SET-05] a negative number', 'max_files_per_batch', -1, 'setting_positive_integer'],
    ['[SET-05] a fraction', 'max_files_per_batch', 1.5, 'setting_positive_integer'],
    ['[SET-05] text', 'max_files_per_batch', 'many', 'setting_positive_integer'],
    ['[SET-07] 0 for the logout time', 'auto_logout_timeout', 0, 'setting_positive_integer'],
    ['[SET-04] text for a number', 'password_expiry_days', 'x', 'setting_type'],
    ['[SET-06] an address that is none', 'support_email', 'a@', 'setting_email'],
    ['a setting that is none', 'other', 1, 'setting_unknown'],
  ])('%s is refused, and nothing of the call is saved', async (_what, setting, value, code) => {
    const { status, body } = await put({ name: 'finished_task_days', value: 99 }, { name: setting, value });
    expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect(await api.deps.settings('finished_task_days')).toBe(3);
  });
});

test('[API-23] [API-24] [API-25] [GENOME-05] data sources, data types and analysis types are listed', async () => {
  const values = async (list: string) =>
    (await call('GET', `/${list}/?page_size=99999`)).body.results.map(({ value }: { value: string }) => value);
  expect(await values('data_types')).toEqual(['fq', 'bam']);
  expect(await values('data_sources')).toEqual(['sequencer', 'intake']);
  expect(await values('analysis_types')).toEqual([
    'germline',
    'tumor-only',
    'tumor-normal',
    'cnv',
    'sma',
    'thalassemia',
    'methylation',
  ]);
  const [fq] = (await call('GET', '/data_types')).body.results;
  expect(fq).toMatchObject({
    display_name: 'FASTQ',
    active: true,
    is_default: true,
    instance_type: '',
    file_extensions: ['.fastq.gz', '.fastq', '.fq', '.fq.gz'],
  });
});
