import { randomUUID } from 'node:crypto';
import { PASSWORD, startApi } from '../../test-support/api.ts';
import { freshApi } from '../../test-support/fresh-api.ts';

const fresh = freshApi();
const fail = async (username: string, times: number) => {
  for (let i = 0; i < times; i++) await fresh.login(username, 'wrong');
};

describe('login', () => {
  test('[AUTH-04] [API-10] [AUTH-14] [AUTH-15] a right password gives both tokens and the session values', async () => {
    const { status, body } = await fresh.login(fresh.user.username, PASSWORD);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token: expect.any(String), refresh_token: expect.any(String) });
    expect(body.profile).toMatchObject({
      user_id: fresh.user.id,
      username: fresh.user.username,
      email: '',
      organization: '',
      autogrouping_rule: '',
      is_staff: false,
      is_superuser: false,
      lang: 'en',
      auto_logout_timeout: null,
      default_auto_logout_timeout: 30,
      groups: [{ id: fresh.group, is_default: true, is_group_admin: true }],
    });
  });

  test('[AUTH-03] without a username or a password is refused, naming it', async () => {
    expect((await fresh.login(undefined, 'x')).body.code).toBe('login_username_required');
    expect((await fresh.login('  ', 'x')).body.code).toBe('login_username_required');
    expect((await fresh.login('x', undefined)).body.code).toBe('login_password_required');
    expect((await fresh.login('x', '')).body.code).toBe('login_password_required');
  });

  test('[ERR-22] an unknown user and a wrong password get the same answer', async () => {
    const [unknown, wrong] = [
      await fresh.login(`nobody-${randomUUID()}`, 'Wrong-1234'),
      await fresh.login(fresh.user.username, 'Wrong-1234'),
    ];
    expect(unknown.status).toBe(401);
    expect({ ...unknown.body, id: '' }).toEqual({ ...wrong.body, id: '' });
    expect(wrong.body.DISPLAY_ERROR_MESSAGE).toBe('Invalid username or password.');
  });

  test('names do not differ by case, and blanks around them do not count', async () => {
    expect((await fresh.login(` ${fresh.user.username.toUpperCase()} `, PASSWORD)).status).toBe(200);
  });

  test('[ERR-23] a disabled account is told only to who knows the password, and its sessions end at once', async () => {
    await fresh.database.db('app_user').where({ id: fresh.user.id }).update({ is_active: false });
    expect((await fresh.login(fresh.user.username, 'wrong')).body.code).toBe('login_failed');
    expect(await fresh.login(fresh.user.username, PASSWORD)).toMatchObject({
      status: 403,
      body: { code: 'account_disabled' },
    });
    expect((await fresh.profile(fresh.user.token)).status).toBe(401);
    expect((await fresh.refresh(fresh.user.refresh)).status).toBe(401);
  });

  test('[ERR-24] [GROUP-06] a user whose groups are all disabled is refused until one is active again', async () => {
    await fresh.database.db('user_group').where({ id: fresh.group }).update({ active: false });
    expect(await fresh.login(fresh.user.username, PASSWORD)).toMatchObject({
      status: 403,
      body: { code: 'group_disabled' },
    });
    expect((await fresh.profile(fresh.user.token)).status).toBe(401);
    await fresh.database.db('user_group').where({ id: fresh.group }).update({ active: true });
    expect((await fresh.login(fresh.user.username, PASSWORD)).status).toBe(200);
  });
});

describe('the lock after failed logins', () => {
  test('[AUTH-05] [ERR-25] refuses the right password after five in a row', async () => {
    await fail(fresh.user.username, 5);
    const { status, body } = await fresh.login(fresh.user.username, PASSWORD);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'account_locked' });
    expect(body.DISPLAY_ERROR_MESSAGE).toMatch(/30 minutes or reset/);
  });

  test('four are forgotten by a success', async () => {
    await fail(fresh.user.username, 4);
    expect((await fresh.login(fresh.user.username, PASSWORD)).status).toBe(200);
    await fail(fresh.user.username, 4);
    expect((await fresh.login(fresh.user.username, PASSWORD)).status).toBe(200);
  });

  test('[AUTH-06] ends after 30 minutes and not before', async () => {
    await fail(fresh.user.username, 5);
    fresh.api.advance(30 * 60 - 5);
    expect((await fresh.login(fresh.user.username, PASSWORD)).body.code).toBe('account_locked');
    fresh.api.advance(10);
    expect((await fresh.login(fresh.user.username, PASSWORD)).status).toBe(200);
  });

  test('survives a restart, holds for unknown names alike, and cannot be passed by many at once', async () => {
    await fail(fresh.user.username, 5);
    const again = await startApi({ database: fresh.database });
    const locked = await again.call('POST', '/auth/login', {
      body: { username: fresh.user.username, password: PASSWORD },
    });
    await again.close();
    expect(locked.body.code).toBe('account_locked');
    const name = `nobody-${randomUUID().slice(0, 8)}`;
    const answers = await Promise.all(Array.from({ length: 12 }, () => fresh.login(name, 'wrong')));
    expect(answers.filter(({ body }) => body.code === 'login_failed').length).toBe(5);
    expect(answers.filter(({ body }) => body.code === 'account_locked').length).toBe(7);
  });
});
