import { randomUUID } from 'node:crypto';
import { PASSWORD, quickHasher, startApi } from '../../test-support/api.ts';
import { freshApi } from '../../test-support/fresh-api.ts';
import { sweepAttempts } from './lockout.ts';
import { createPasswordHasher, type PasswordHasher } from './passwords.ts';

const fresh = freshApi();
const fail = async (username: string, times: number, address?: string) => {
  for (let i = 0; i < times; i++) await fresh.login(username, 'wrong', address);
};

describe('login', () => {
  test('[AUTH-04] [API-10] [AUTH-14] [AUTH-15] a correct password returns both tokens and the session values', async () => {
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

  test('[AUTH-03] without a username or a password is rejected with the name of the field', async () => {
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

  test('names ignore case and surrounding blanks', async () => {
    expect((await fresh.login(` ${fresh.user.username.toUpperCase()} `, PASSWORD)).status).toBe(200);
  });

  test('[ERR-23] only a correct password reveals a disabled account, and its sessions end at once', async () => {
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
  test('[AUTH-05] [ERR-25] rejects the correct password after five failures in a row', async () => {
    await fail(fresh.user.username, 5);
    const { status, body } = await fresh.login(fresh.user.username, PASSWORD);
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'account_locked' });
    expect(body.DISPLAY_ERROR_MESSAGE).toMatch(/30 minutes or reset/);
  });

  test('a success resets four failures', async () => {
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

  test('survives a restart, applies to unknown names, and cannot be exceeded by parallel attempts', async () => {
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

  test('applies only to the address of the failures, so that others cannot lock a user out', async () => {
    await fail(fresh.user.username, 5, '198.51.100.7');
    expect((await fresh.login(fresh.user.username, PASSWORD, '198.51.100.7')).body.code).toBe('account_locked');
    expect((await fresh.login(fresh.user.username, PASSWORD, '203.0.113.9')).status).toBe(200);
    expect((await fresh.login(fresh.user.username, PASSWORD, '198.51.100.7')).body.code).toBe('account_locked');
  });

  test('one network of IPv6 is one address', async () => {
    for (let i = 1; i <= 5; i++) await fail(fresh.user.username, 1, `2001:db8:0:7::${i}`);
    expect((await fresh.login(fresh.user.username, PASSWORD, '2001:db8:0:7:ffff::1')).body.code).toBe('account_locked');
    expect((await fresh.login(fresh.user.username, PASSWORD, '2001:db8:0:8::1')).status).toBe(200);
  });

  test('after 50 failures from all addresses applies everywhere except where the account was used within 30 days', async () => {
    const { username } = fresh.user; // addUser logged in from 127.0.0.1
    for (let i = 0; i < 10; i++) await fail(username, 5, `198.51.100.${i}`);
    expect((await fresh.login(username, PASSWORD, '203.0.113.9')).body.code).toBe('account_locked');
    expect((await fresh.login(username, PASSWORD)).status).toBe(200);
    fresh.api.advance(30 * 60 + 5);
    expect((await fresh.login(username, PASSWORD, '203.0.113.9')).status).toBe(200);
    fresh.api.advance(31 * 86_400);
    for (let i = 0; i < 10; i++) await fail(username, 5, `198.51.100.${i}`);
    expect((await fresh.login(username, PASSWORD)).body.code).toBe('account_locked');
  }, 60_000);

  test('attempts of a locked address count for no other address', async () => {
    await fail(fresh.user.username, 60, '198.51.100.7');
    expect((await fresh.login(fresh.user.username, PASSWORD, '203.0.113.9')).status).toBe(200);
  });
});

describe('the counts of failed logins', () => {
  const rows = () => fresh.database.db('login_attempt').select('username');

  test('are dropped after a day, and of unknown names the oldest over the limit, never those of accounts', async () => {
    const { db } = fresh.database;
    await db('login_attempt').delete();
    await fail(fresh.user.username, 1, '198.51.100.1');
    for (let i = 0; i < 4; i++) await fail(`nobody-${i}`, 1);
    await sweepAttempts(db, fresh.api.deps.now(), 4);
    expect((await rows()).map(({ username }) => username).sort()).toEqual([
      ...['nobody-2', 'nobody-2', 'nobody-3', 'nobody-3', fresh.user.username, fresh.user.username].sort(),
    ]);
    fresh.api.advance(86_401);
    await sweepAttempts(db, fresh.api.deps.now());
    expect(await rows()).toEqual([]);
  });
});

describe('too many logins from one client address', () => {
  test('are rejected with the time to wait, are allowed after it, and do not affect other addresses', async () => {
    const limited = await startApi({ database: fresh.database, loginsPerMinute: 6 });
    const login = (address: string) =>
      limited.call('POST', '/auth/login', {
        body: { username: `nobody-${randomUUID()}`, password: 'x' },
        headers: { 'x-forwarded-for': address },
      });
    try {
      for (let i = 0; i < 6; i++) expect((await login('198.51.100.1')).status).toBe(401);
      const refused = await login('198.51.100.1');
      expect([refused.status, refused.body.code]).toEqual([429, 'too_many_requests']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10);
      expect((await login('198.51.100.2')).status).toBe(401);
      limited.advance(11);
      expect((await login('198.51.100.1')).status).toBe(401);
    } finally {
      await limited.close();
    }
  });

  test('also include password changes and logins through a provider; refreshes have ten times the limit', async () => {
    const limited = await startApi({ database: fresh.database, loginsPerMinute: 2 });
    const headers = { 'x-forwarded-for': '198.51.100.9' };
    const body = { current_password: 'wrong', new_password: 'Newer-Horse8', repeat_password: 'Newer-Horse8' };
    const statuses = async (times: number, path: string, sent: object) => {
      const answers = [];
      for (let i = 0; i < times; i++)
        answers.push(await limited.call('POST', path, { token: fresh.user.token, body: sent, headers }));
      return answers.map(({ status }) => status);
    };
    try {
      expect(await statuses(3, '/api/v1/pivat/profile/password', body)).toEqual([400, 400, 429]);
      expect(await statuses(1, '/auth/sso/begin', {})).toEqual([429]);
      expect(await statuses(1, '/auth/sso/finish', { query: '?x' })).toEqual([429]);
      const refreshes = await statuses(21, '/api/v1/pivat/api-token-refresh', { refresh: 'x' });
      expect(refreshes).toEqual([...Array(20).fill(401), 429]);
    } finally {
      await limited.close();
    }
  });

  test('when too many passwords wait for hashing, a login answers 503 at once and is not counted as a failure', async () => {
    const hasher: PasswordHasher = { ...createPasswordHasher({ running: 1, waiting: 0 }), hash: quickHasher.hash };
    const busy = await startApi({ database: fresh.database, hasher });
    const login = (address: string) =>
      busy.call('POST', '/auth/login', {
        body: { username: 'nobody-at-all', password: 'x' },
        headers: { 'x-forwarded-for': address },
      });
    try {
      const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => login(`198.51.100.${i}`)));
      const overloaded = answers.filter(({ status }) => status === 503);
      expect(overloaded.length).toBeGreaterThan(0);
      expect(overloaded.length + answers.filter(({ status }) => status === 401).length).toBe(12);
      expect(overloaded[0]!.headers.get('retry-after')).toBe('2');
      const row = await fresh.database.db('login_attempt').where({ username: 'nobody-at-all', address: '' }).first();
      expect(row!.failures).toBe(12 - overloaded.length);
    } finally {
      await busy.close();
    }
  });
});
