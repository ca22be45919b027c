import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { type DirectoryServer, startDirectory } from '../../test-support/directory-server.ts';
import { createDirectory } from './directory.ts';

const hasServer = existsSync('/usr/sbin/slapd');
if (!hasServer) process.stderr.write('skipped: login through LDAP: slapd is not installed\n');

(hasServer ? describe : describe.skip)('login through a directory', () => {
  let server: DirectoryServer;
  let api: TestApi;
  beforeAll(async () => {
    server = await startDirectory({ mei: 'Kept-There7', 'mei*': 'x' });
    api = await startApi({ signIn: { ldap: { ...server, userAttribute: 'uid' } } });
    const staff = await api.addUser({ staff: true });
    const made = await api.call('POST', '/api/v1/pivat/admin/users/', {
      token: staff.token,
      body: { username: 'mei', is_ldap: true },
    });
    expect([made.status, made.body.is_ldap]).toEqual([201, true]);
  });
  afterAll(async () => {
    await api?.close();
    await server?.close();
  });
  const logIn = (password: string, username = 'mei', at = api) =>
    at.call('POST', '/auth/login', { body: { username, password } });

  test('[AUTH-08] an LDAP user logs in with the password that the LDAP server checks', async () => {
    const { status, body } = await logIn('Kept-There7');
    expect(status).toBe(200);
    expect(body.profile).toMatchObject({ username: 'mei', is_ldap: true, has_password: false });
  });

  test('[ERR-22] another password, and an unknown user, get the same answer as everywhere', async () => {
    expect((await logIn('wrong')).body.code).toBe('login_failed');
    expect((await logIn('Kept-There7', 'nobody')).body.code).toBe('login_failed');
  });

  test('what is wrong is logged with the setting that mends it', async () => {
    const wrong: [object, RegExp][] = [
      [{ bindPassword: 'wrong' }, /refuses who looks users up: .*ldap\.bindDn, ldap\.existingSecret/],
      [{ searchBase: 'ou=nowhere,dc=lab,dc=example' }, /nothing at .*ldap\.searchBase/],
      [{ url: 'ldap://127.0.0.1:1' }, /ldap:\/\/127\.0\.0\.1:1 cannot be used: it cannot be reached \(ECONNREFUSED\)/],
    ];
    for (const [settings, message] of wrong) {
      let said = '';
      const log = pino({}, { write: (line) => (said += line) });
      const directory = createDirectory({ ...server, userAttribute: 'uid', ...settings }, log);
      await expect(directory.verify('mei', 'Kept-There7')).rejects.toMatchObject({ code: 'ldap_misconfigured' });
      expect((JSON.parse(said) as { msg: string }).msg).toMatch(message);
    }
  });

  test('[ERR-26] while the settings are wrong the login is refused and counts against nobody', async () => {
    const wrong = [
      { ...server, bindPassword: 'wrong' },
      { ...server, searchBase: 'ou=nowhere,dc=lab,dc=example' },
      { ...server, url: 'ldap://127.0.0.1:1' },
    ];
    for (const settings of wrong) {
      const broken = await startApi({ signIn: { ldap: { ...settings, userAttribute: 'uid' } } });
      const staff = await broken.addUser({ staff: true });
      const user = { username: 'mei', is_ldap: true };
      await broken.call('POST', '/api/v1/pivat/admin/users/', { token: staff.token, body: user });
      for (let i = 0; i < 7; i++) {
        const { status, body } = await logIn('Kept-There7', 'mei', broken);
        expect([status, body.code]).toEqual([500, 'ldap_misconfigured']);
      }
      await broken.close();
    }
  });
});
