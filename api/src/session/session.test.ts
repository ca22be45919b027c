import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { PASSWORD, startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { createTestDatabase, type TestDatabase } from '../../test-support/postgres.ts';

const BASE = '/api/v1/pivat';
let database: TestDatabase;
let api: TestApi;
let group: string;
let user: TestUser;

// Each test moves the clock as it needs: each has an api of its own on a database for the file.
beforeEach(async () => {
  database ??= await createTestDatabase();
  api = await startApi({ database });
  group = await api.addGroup();
  user = await api.addUser({ groups: { [group]: 'admin' } });
});
afterEach(() => api.close());
afterAll(() => database?.close());

const login = (username: unknown, password: unknown) =>
  api.call('POST', '/auth/login', { body: { username, password } });
const refresh = (token: string) => api.call('POST', `${BASE}/api-token-refresh`, { body: { refresh: token } });
const profile = (token: string) => api.call('GET', `${BASE}/profile/`, { token });
const fail = async (username: string, times: number) => {
  for (let i = 0; i < times; i++) await login(username, 'wrong');
};

describe('login', () => {
  test('[AUTH-04] [API-10] [AUTH-14] [AUTH-15] a right password gives both tokens and the session values', async () => {
    const { status, body } = await login(user.username, PASSWORD);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token: expect.any(String), refresh_token: expect.any(String) });
    expect(body.profile).toMatchObject({
      user_id: user.id,
      username: user.username,
      email: '',
      organization: '',
      autogrouping_rule: '',
      is_staff: false,
      is_superuser: false,
      lang: 'en',
      auto_logout_timeout: null,
      default_auto_logout_timeout: 30,
      groups: [{ id: group, is_default: true, is_group_admin: true }],
    });
  });

  test('[AUTH-03] without a username or a password is refused, naming it', async () => {
    expect((await login(undefined, 'x')).body.code).toBe('login_username_required');
    expect((await login('  ', 'x')).body.code).toBe('login_username_required');
    expect((await login('x', undefined)).body.code).toBe('login_password_required');
    expect((await login('x', '')).body.code).toBe('login_password_required');
  });

  test('[ERR-22] an unknown user and a wrong password get the same answer', async () => {
    const [unknown, wrong] = [
      await login(`nobody-${randomUUID()}`, 'Wrong-1234'),
      await login(user.username, 'Wrong-1234'),
    ];
    expect(unknown.status).toBe(401);
    expect({ ...unknown.body, id: '' }).toEqual({ ...wrong.body, id: '' });
    expect(wrong.body.DISPLAY_ERROR_MESSAGE).toBe('Invalid username or password.');
  });

  test('names do not differ by case, and blanks around them do not count', async () => {
    expect((await login(` ${user.username.toUpperCase()} `, PASSWORD)).status).toBe(200);
  });

  test('[ERR-23] a disabled account is told only to who knows the password, and its sessions end at once', async () => {
    await database.db('app_user').where({ id: user.id }).update({ is_active: false });
    expect((await login(user.username, 'wrong')).body.code).toBe('login_failed');
    expect(await login(user.username, PASSWORD)).toMatchObject({ status: 403, body: { code: 'account_disabled' } });
    expect((await profile(user.token)).status).toBe(401);
    expect((await refresh(user.refresh)).status).toBe(401);
  });

  test('[ERR-24] [GROUP-06] a user whose groups are all disabled is refused until one is active again', async () => {
    await database.db('user_group').where({ id: group }).update({ active: false });
    expect(await login(user.username, PASSWORD)).toMatchObject({ status: 403, body: { code: 'group_disabled' } });
    expect((await profile(user.token)).status).toBe(401);
    await database.db('user_group').where({ id: group }).update({ active: true });
    expect((await login(user.username, PASSWORD)).status).toBe(200);
  });
});

describe('the lock after failed logins', () => {
  test('[AUTH-05] [ERR-25] refuses the right password after five in a row', async () => {
    await fail(user.username, 5);
    const { status, body } = await login(user.username, PASSWORD);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'account_locked' });
    expect(body.DISPLAY_ERROR_MESSAGE).toMatch(/30 minutes or reset/);
  });

  test('four are forgotten by a success', async () => {
    await fail(user.username, 4);
    expect((await login(user.username, PASSWORD)).status).toBe(200);
    await fail(user.username, 4);
    expect((await login(user.username, PASSWORD)).status).toBe(200);
  });

  test('[AUTH-06] ends after 30 minutes and not before', async () => {
    await fail(user.username, 5);
    api.advance(30 * 60 - 5);
    expect((await login(user.username, PASSWORD)).body.code).toBe('account_locked');
    api.advance(10);
    expect((await login(user.username, PASSWORD)).status).toBe(200);
  });

  test('survives a restart, holds for unknown names alike, and cannot be passed by many at once', async () => {
    await fail(user.username, 5);
    const again = await startApi({ database });
    const locked = await again.call('POST', '/auth/login', { body: { username: user.username, password: PASSWORD } });
    await again.close();
    expect(locked.body.code).toBe('account_locked');
    const name = `nobody-${randomUUID().slice(0, 8)}`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => login(name, 'wrong')));
    expect(answers.filter(({ body }) => body.code === 'login_failed').length).toBe(5);
    expect(answers.filter(({ body }) => body.code === 'account_locked').length).toBe(7);
  });
});

describe('tokens', () => {
  test('[API-11] [AUTH-16] verify answers whether a token is valid', async () => {
    const verify = (token: string) => api.call('POST', `${BASE}/api-token-verify/`, { body: { token } });
    expect(await verify(user.token)).toMatchObject({ status: 200, body: { valid: true } });
    expect(await verify(`${user.token.slice(0, -4)}AAAA`)).toMatchObject({
      status: 401,
      body: { code: 'token_invalid' },
    });
    expect((await verify(user.token)).status).toBe(200);
    expect((await verify('x')).body.DISPLAY_ERROR_MESSAGE).toBe('The token is invalid. Please log in again!');
  });

  test('a token without a signature, or made for a file, opens nothing', async () => {
    const [, payload] = user.token.split('.');
    const none = `${Buffer.from('{"alg":"none","typ":"access"}').toString('base64url')}.${payload}.`;
    expect((await profile(none)).status).toBe(401);
    expect((await profile((await api.tokens.signFile('x')).token)).status).toBe(401);
  });

  test('[API-13] refresh gives a new access token and the next refresh token', async () => {
    api.advance(16 * 60);
    expect((await profile(user.token)).status).toBe(401);
    const { status, body } = await refresh(user.refresh);
    expect(status).toBe(200);
    expect((await profile(body.access)).status).toBe(200);
    expect(body.refresh).not.toBe(user.refresh);
    expect((await refresh(body.refresh)).status).toBe(200);
  });

  test('two tabs may refresh at the same time', async () => {
    const [a, b] = await Promise.all([refresh(user.refresh), refresh(user.refresh)]);
    expect([a.status, b.status]).toEqual([200, 200]);
    expect((await refresh(a.body.refresh)).status).toBe(200);
    expect((await refresh(b.body.refresh)).status).toBe(200);
  });

  test('a token used again later ends its whole session', async () => {
    const { body } = await refresh(user.refresh);
    api.advance(60);
    expect((await refresh(user.refresh)).status).toBe(401);
    expect((await refresh(body.refresh)).status).toBe(401);
    expect((await profile(body.access)).status).toBe(401);
  });

  test('a session ends a week after its login, however often it was refreshed', async () => {
    let token = user.refresh;
    for (let hour = 0; hour < 7 * 24 - 20; hour += 20) {
      api.advance(20 * 3600);
      token = (await refresh(token)).body.refresh;
    }
    api.advance(21 * 3600);
    expect((await refresh(token)).status).toBe(401);
  });

  test('[API-16] [AUTH-19] after logout neither token gives access', async () => {
    const { status } = await api.call('POST', '/auth/logout/', {
      token: user.token,
      body: { refresh_token: user.refresh },
    });
    expect(status).toBe(204);
    expect((await refresh(user.refresh)).status).toBe(401);
    expect((await profile(user.token)).status).toBe(401);
  });
});

describe('the profile', () => {
  const put = (body: object) => api.call('PUT', `${BASE}/profile`, { token: user.token, body });

  test('[API-12] [USER-21] [USER-23] [AUDIT-04] shows the caller and saves changes', async () => {
    const { status, body } = await put({
      first_name: 'Ana',
      last_name: 'B-C',
      email: 'a@b.org',
      lang: 'zh',
      auto_logout_timeout: 15,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      first_name: 'Ana',
      last_name: 'B-C',
      email: 'a@b.org',
      lang: 'zh',
      auto_logout_timeout: 15,
    });
    expect((await profile(user.token)).body).toEqual(body);
    const [entry] = await database.db('audit_log').where({ resource_id: user.id, action: 'update' });
    expect(entry).toMatchObject({ username: user.username });
    expect(entry.changes).toContainEqual({ field: 'lang', from: 'en', to: 'zh' });
  });

  test.each([0, -1, 1.5])('[USER-24] refuses the auto-logout timeout %s', async (minutes) => {
    expect((await put({ auto_logout_timeout: minutes })).body.code).toBe('auto_logout_invalid');
  });

  test('refuses an email address that is none and a name with other characters', async () => {
    expect((await put({ email: 'a@b' })).body.code).toBe('email_invalid');
    expect((await put({ first_name: 'A;B' })).body.code).toBe('user_name_characters');
  });

  test('shows in how many days the password should be changed, from 14 days before', async () => {
    await database.db('setting').insert({ name: 'password_expiry_days', value: '90', modified: new Date() });
    try {
      expect((await profile(user.token)).body.password_expires_in_days).toBeNull();
      await database
        .db('app_user')
        .where({ id: user.id })
        .update({ password_changed: new Date(Date.now() - 80 * 86_400_000) });
      expect((await profile(user.token)).body.password_expires_in_days).toBe(10);
    } finally {
      await database.db('setting').delete();
    }
  });
});

describe('a change of password', () => {
  const change = (current: string, next: string, repeat = next) =>
    api.call('POST', `${BASE}/profile/password`, {
      token: user.token,
      body: { current_password: current, new_password: next, repeat_password: repeat },
    });

  test('[USER-22] makes the new one good and the old one bad, and ends the other sessions', async () => {
    const other = (await login(user.username, PASSWORD)).body;
    expect((await change(PASSWORD, 'Newer-Horse8')).status).toBe(204);
    expect((await login(user.username, PASSWORD)).body.code).toBe('login_failed');
    expect((await login(user.username, 'Newer-Horse8')).status).toBe(200);
    expect((await profile(other.token)).status).toBe(401);
    expect((await profile(user.token)).status).toBe(200);
  });

  test.each([
    ['[USER-20] no current one', '', 'Newer-Horse8', 'password_current_required'],
    ['[ERR-59] a wrong current one', 'wrong', 'Newer-Horse8', 'password_current_incorrect'],
    ['[USER-16] a short one', PASSWORD, 'Aa1-aaa', 'password_length'],
    ['[USER-16] a long one', PASSWORD, `Aa1-${'a'.repeat(29)}`, 'password_length'],
    ['[USER-17] one without a digit', PASSWORD, 'Newer-Horse', 'password_classes'],
    ['[USER-18] one with <', PASSWORD, 'Newer<Horse8', 'password_forbidden_characters'],
    ['[ERR-60] the same one', PASSWORD, PASSWORD, 'password_unchanged'],
    ['a common one', PASSWORD, 'P@ssw0rd!'.slice(0, 8), 'password_common'],
  ])('refuses %s', async (_what, current, next, code) => {
    expect(await change(current, next)).toMatchObject({ status: 400, body: { code } });
  });

  test('[USER-19] refuses a repetition that differs', async () => {
    expect((await change(PASSWORD, 'Newer-Horse8', 'Newer-Horse9')).body.code).toBe('password_repeat');
  });
});

test('the first administrator gets a one-time password in a private file, once, which goes with its first change', async () => {
  const fresh = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-first-'));
  const file = join(folder, 'first-admin.txt');
  const first = await startApi({ database: fresh, firstAdminFile: file, start: true });
  try {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    const password = /^password: (.+)$/m.exec(text)![1]!;
    const session = await first.call('POST', '/auth/login', { body: { username: 'admin', password } });
    expect(session.body.profile).toMatchObject({ is_staff: true, is_superuser: true, must_change_password: true });
    const second = await startApi({ database: fresh, firstAdminFile: file, start: true });
    await second.close();
    expect(readFileSync(file, 'utf8')).toBe(text);
    const body = { current_password: password, new_password: 'Newer-Horse8', repeat_password: 'Newer-Horse8' };
    expect((await first.call('POST', `${BASE}/profile/password`, { token: session.body.token, body })).status).toBe(
      204,
    );
    expect(existsSync(file)).toBe(false);
    const again = await first.call('POST', '/auth/login', { body: { username: 'admin', password: 'Newer-Horse8' } });
    expect(again.body.profile.must_change_password).toBe(false);
  } finally {
    await first.close();
    await fresh.close();
    rmSync(folder, { recursive: true });
  }
});

test('the first administrator may have the password of a file instead; one that breaks the rules stops the start by name', async () => {
  const fresh = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'seqpanel-first-'));
  const file = join(folder, 'first-admin-password');
  const start = () => startApi({ database: fresh, firstAdminPasswordFile: file, start: true });
  try {
    writeFileSync(file, 'too-simple');
    await expect(start()).rejects.toThrow(/SEQPANEL_FIRST_ADMIN_PASSWORD_FILE: .*first-admin-password: /);
    writeFileSync(file, 'Aa1-given-by-a-secret\n');
    const api = await start();
    const body = { username: 'admin', password: 'Aa1-given-by-a-secret' };
    expect((await api.call('POST', '/auth/login', { body })).body.profile).toMatchObject({
      must_change_password: true,
    });
    await api.close();
  } finally {
    await fresh.close();
    rmSync(folder, { recursive: true });
  }
});
