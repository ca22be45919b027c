import { PASSWORD } from '../../test-support/api.ts';
import { freshApi } from '../../test-support/fresh-api.ts';

const fresh = freshApi();

describe('the profile', () => {
  const put = (body: object) => fresh.api.call('PUT', '/api/v1/pivat/profile', { token: fresh.user.token, body });

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
    expect((await fresh.profile(fresh.user.token)).body).toEqual(body);
    const [entry] = await fresh.database.db('audit_log').where({ resource_id: fresh.user.id, action: 'update' });
    expect(entry).toMatchObject({ username: fresh.user.username });
    expect(entry!.changes).toContainEqual({ field: 'lang', from: 'en', to: 'zh' });
  });

  test.each([0, -1, 1.5])('[USER-24] refuses the auto-logout timeout %s', async (minutes) => {
    expect((await put({ auto_logout_timeout: minutes })).body.code).toBe('auto_logout_invalid');
  });

  test('rejects an invalid email address and a name with other characters', async () => {
    expect((await put({ email: 'a@b' })).body.code).toBe('email_invalid');
    expect((await put({ first_name: 'A;B' })).body.code).toBe('user_name_characters');
  });

  test('contains the days until the password expires, from 14 days before', async () => {
    await fresh.database.db('setting').insert({ name: 'password_expiry_days', value: '90', modified: new Date() });
    try {
      expect((await fresh.profile(fresh.user.token)).body.password_expires_in_days).toBeNull();
      await fresh.database
        .db('app_user')
        .where({ id: fresh.user.id })
        .update({ password_changed: new Date(Date.now() - 80 * 86_400_000) });
      expect((await fresh.profile(fresh.user.token)).body.password_expires_in_days).toBe(10);
    } finally {
      await fresh.database.db('setting').delete();
    }
  });
});

describe('a change of password', () => {
  const change = (current: string, next: string, repeat = next) =>
    fresh.api.call('POST', '/api/v1/pivat/profile/password', {
      token: fresh.user.token,
      body: { current_password: current, new_password: next, repeat_password: repeat },
    });

  test('[USER-22] makes the new password valid and the old one invalid, and ends the other sessions', async () => {
    const other = (await fresh.login(fresh.user.username, PASSWORD)).body;
    expect((await change(PASSWORD, 'Newer-Horse8')).status).toBe(204);
    expect((await fresh.login(fresh.user.username, PASSWORD)).body.code).toBe('login_failed');
    expect((await fresh.login(fresh.user.username, 'Newer-Horse8')).status).toBe(200);
    expect((await fresh.profile(other.token)).status).toBe(401);
    expect((await fresh.profile(fresh.user.token)).status).toBe(200);
  });

  test.each([
    ['[USER-20] no current one', '', 'Newer-Horse8', 'password_current_required'],
    ['[ERR-59] a wrong current one', 'wrong', 'Newer-Horse8', 'password_current_incorrect'],
    ['[USER-16] a short one', PASSWORD, 'Aa1-aaa', 'password_length'],
    ['[USER-16] a long one', PASSWORD, `Aa1-${'a'.repeat(29)}`, 'password_length'],
    ['[USER-17] one without a digit', PASSWORD, 'Newer-Horse', 'password_classes'],
    ['[USER-18] one with <', PASSWORD, 'Newer<Horse8', 'password_forbidden_characters'],
    ['[ERR-60] the same one', PASSWORD, PASSWORD, 'password_unchanged'],
    ['a common one', PASSWORD, 'P@ssw0rd', 'password_common'],
    ['a common one in other cases', PASSWORD, '1QAZ@wsx', 'password_common'],
    ['a usual variant of a common one', PASSWORD, 'Summer2024!', 'password_common'],
  ])('refuses %s', async (_what, current, next, code) => {
    expect(await change(current, next)).toMatchObject({ status: 400, body: { code } });
  });

  test('counts wrong current passwords as failed logins: after five the correct one is rejected, also at login', async () => {
    for (let i = 0; i < 5; i++) expect((await change('wrong', 'Newer-Horse8')).status).toBe(400);
    expect(await change(PASSWORD, 'Newer-Horse8')).toMatchObject({ status: 403, body: { code: 'account_locked' } });
    expect((await fresh.login(fresh.user.username, PASSWORD)).body.code).toBe('account_locked');
    const events = await fresh.database.db('audit_log').where({ user_id: fresh.user.id });
    expect(events.map(({ action, outcome }) => `${action} ${outcome}`).sort()).toEqual([
      ...['lock success', 'login success', ...Array(5).fill('password_change failure')],
    ]);
  });

  test('[USER-19] rejects a repeated password that differs', async () => {
    expect((await change(PASSWORD, 'Newer-Horse8', 'Newer-Horse9')).body.code).toBe('password_repeat');
  });
});
