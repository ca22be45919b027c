import { existsSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { z } from 'zod';
import { PASSWORD, startApi, type TestApi } from '../../test-support/api.ts';
import { changeResultCode } from '../../test-support/changed-directory.ts';
import { type DirectoryServer, startDirectory } from '../../test-support/directory-server.ts';
import { makeLaboratoryCa } from '../../test-support/laboratory-ca.ts';
import { createDirectory } from './directory.ts';
import { readSignIn, SIGN_IN_ENV } from './sign-in-settings.ts';

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

  test('[ERR-22] a wrong password and an unknown user get the same answer as for other accounts', async () => {
    expect((await logIn('wrong')).body.code).toBe('login_failed');
    expect((await logIn('Kept-There7', 'nobody')).body.code).toBe('login_failed');
  });

  test('a problem is logged with the setting that fixes it', async () => {
    const wrong: [object, RegExp][] = [
      [{ bindPassword: 'wrong' }, /rejects the bind DN: .*ldap\.bindDn, ldap\.existingSecret/],
      [{ searchBase: 'ou=nowhere,dc=lab,dc=example' }, /no entry .*ldap\.searchBase/],
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

  test.each([
    [19, 'constraintViolation'],
    [50, 'insufficientAccessRights'],
    [53, 'unwillingToPerform'],
  ])('a user who is refused with %i (%s) has a wrong password, which counts and clears no lock', async (code) => {
    const between = await changeResultCode(server.url, 49, code);
    const other = await startApi({ signIn: { ldap: { ...server, url: between.url, userAttribute: 'uid' } } });
    try {
      const staff = await other.addUser({ staff: true });
      const user = { username: 'mei', is_ldap: true };
      await other.call('POST', '/api/v1/pivat/admin/users/', { token: staff.token, body: user });
      for (let i = 0; i < 5; i++) {
        const { status, body } = await logIn('wrong', 'mei', other);
        expect([status, body.code]).toEqual([401, 'login_failed']);
      }
      expect(between.changed()).toBeGreaterThanOrEqual(5);
      for (const password of ['wrong', 'Kept-There7'])
        expect((await logIn(password, 'mei', other)).body.code).toBe('account_locked');
    } finally {
      await other.close();
      await between.close();
    }
  });

  test('[ERR-22] a rejected login takes equally long for directory users, local users and unknown users', async () => {
    const { username } = await api.addUser();
    const times: Record<string, number[]> = { mei: [], [username]: [], nobody: [] };
    for (let round = 0; round < 3; round++) {
      for (const name of Object.keys(times)) {
        const began = performance.now();
        expect((await logIn('wrong', name)).body.code).toBe('login_failed');
        times[name]!.push(performance.now() - began);
      }
    }
    const least = Object.values(times).map((each) => Math.min(...each));
    // Rejections are delayed to a multiple of 250 ms.
    expect(Math.min(...least)).toBeGreaterThan(245);
    expect(Math.max(...least) - Math.min(...least)).toBeLessThan(100);
  });

  test('while the directory is down, unknown names and wrong local passwords are rejected like directory users', async () => {
    const broken = await startApi({
      signIn: { ldap: { ...server, url: 'ldap://127.0.0.1:1', userAttribute: 'uid' } },
    });
    const { username } = await broken.addUser();
    const staff = await broken.addUser({ staff: true });
    const user = { username: 'mei', is_ldap: true };
    await broken.call('POST', '/api/v1/pivat/admin/users/', { token: staff.token, body: user });
    const answers = [];
    for (const name of ['mei', username, 'nobody']) {
      const { status, body } = await logIn('wrong', name, broken);
      answers.push([status, { ...body, id: '' }]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect((await logIn(PASSWORD, username, broken)).status).toBe(200);
    await broken.close();
  });

  test('[ERR-26] while the settings are wrong the login is rejected and not counted as a failure', async () => {
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
        expect([status, body.code, body.DISPLAY_ERROR_MESSAGE]).toEqual([
          500,
          'ldap_misconfigured',
          'The LDAP server is misconfigured.',
        ]);
      }
      await broken.close();
    }
  });
});

(hasServer ? describe : describe.skip)('login through a directory over ldap://', () => {
  const { ca, place } = makeLaboratoryCa('127.0.0.1');
  let server: DirectoryServer;
  let usual: string[];
  beforeAll(async () => {
    usual = getCACertificates('default');
    server = await startDirectory({ mei: 'Kept-There7' }, place, { startTls: true });
  });
  afterAll(async () => {
    setDefaultCACertificates(usual);
    await server?.close();
  });
  const verify = async (settings: object = {}) => {
    let said = '';
    const log = pino({}, { write: (line) => (said += (JSON.parse(line) as { msg: string }).msg) });
    const directory = createDirectory({ ...server, userAttribute: 'uid', ...settings }, log);
    const answer = await directory.verify('mei', 'Kept-There7').catch((error: { code: string }) => error.code);
    return { answer, said };
  };

  test('no password is sent before StartTLS with a trusted certificate', async () => {
    setDefaultCACertificates(usual);
    const untrusted = await verify();
    expect(untrusted.answer).toBe('ldap_misconfigured');
    expect(untrusted.said).toMatch(/its certificate is not trusted/);
    setDefaultCACertificates([...usual, ca]);
    expect((await verify()).answer).toBe(true);
    // This server accepts no password in clear text.
    expect((await verify({ startTls: false })).answer).toBe('ldap_misconfigured');
  });

  test('a certificate of another host is not trusted', async () => {
    setDefaultCACertificates([...usual, ca]);
    const { answer, said } = await verify({ url: server.url.replace('127.0.0.1', 'localhost') });
    expect(answer).toBe('ldap_misconfigured');
    expect(said).toMatch(/its certificate is not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
  });

  test('a directory without StartTLS is not used, and the log names the setting', async () => {
    const plain = await startDirectory({ mei: 'Kept-There7' });
    try {
      const refused = await verify({ ...plain, startTls: true });
      expect(refused.answer).toBe('ldap_misconfigured');
      expect(refused.said).toMatch(/does not offer StartTLS: .*SEQPANEL_LDAP_PLAINTEXT=allow \(ldap\.allowPlaintext\)/);
      expect((await verify({ ...plain, startTls: false })).answer).toBe(true);
    } finally {
      await plain.close();
    }
  });
});

describe('the settings of a directory', () => {
  const read = (env: Record<string, string>) =>
    readSignIn(z.object(SIGN_IN_ENV).parse({ SEQPANEL_LDAP_SEARCH_BASE: 'ou=people', ...env })).ldap;

  test('ldap:// asks for StartTLS unless clear text is allowed by name; ldaps:// needs none', () => {
    const url = 'ldap://directory.example';
    expect(read({ SEQPANEL_LDAP_URL: url })?.startTls).toBe(true);
    expect(read({ SEQPANEL_LDAP_URL: url, SEQPANEL_LDAP_PLAINTEXT: 'allow' })?.startTls).toBe(false);
    expect(read({ SEQPANEL_LDAP_URL: 'ldaps://directory.example' })?.startTls).toBe(false);
    expect(() => read({ SEQPANEL_LDAP_URL: url, SEQPANEL_LDAP_PLAINTEXT: 'yes' })).toThrow(/SEQPANEL_LDAP_PLAINTEXT/);
  });
});
