import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { type IdentityProvider, startIdentityProvider } from '../../test-support/identity-provider.ts';
import type { OidcSettings } from '../session/sign-in-settings.ts';
import { FLOW_MINUTES, flowCookie } from './flow.ts';
import { isAllowed } from './provider.ts';
import { usernameOf } from './sso-user.ts';

const REDIRECT = 'http://127.0.0.1:9/login/sso';
let provider: IdentityProvider;
let api: TestApi;
let oidc: OidcSettings;

beforeAll(async () => {
  provider = await startIdentityProvider('seqpanel', 'a-secret-of-the-client', REDIRECT);
  oidc = {
    issuer: provider.issuer,
    clientId: 'seqpanel',
    clientSecret: 'a-secret-of-the-client',
    name: 'Lab login',
    usernameClaim: 'preferred_username',
    allowed: undefined,
    redirectUri: REDIRECT,
  };
  api = await startApi({ signIn: { oidc } });
});
afterAll(async () => {
  await api?.close();
  await provider?.close();
});

async function begin(at = api) {
  const { status, body, headers } = await at.call('POST', '/auth/sso/begin');
  expect(status).toBe(200);
  const cookie = headers.get('set-cookie')!;
  expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
  return { location: body.location as string, cookie: cookie.split(';')[0]! };
}
const finish = (query: string, cookie?: string, at = api) =>
  at.call('POST', '/auth/sso/finish', { body: { query }, ...(cookie && { headers: { cookie } }) });
const person = (name: string, more = {}) => ({ sub: `id-${name}`, preferred_username: name, ...more });
async function logIn(who: ReturnType<typeof person>, at = api) {
  const { location, cookie } = await begin(at);
  const back = await provider.logIn(location, who);
  return { answer: await finish(back.search, cookie, at), back, cookie };
}

describe('login through an OpenID Connect provider', () => {
  test('the login page shows the provider only when one is configured', async () => {
    expect((await api.call('GET', '/auth/options')).body).toEqual({ sso: { name: 'Lab login' } });
    const without = await startApi();
    expect((await without.call('GET', '/auth/options')).body).toEqual({ sso: null });
    expect((await without.call('POST', '/auth/sso/begin')).body.code).toBe('sso_not_configured');
    await without.close();
  });

  test('[AUTH-09] a person gets the same session values as with a password, and the same account at the next login', async () => {
    const mei = person('mei.lin', { given_name: 'Mei', family_name: 'Lin', email: 'mei@lab.example' });
    const { answer } = await logIn(mei);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      token: expect.any(String),
      refresh_token: expect.any(String),
      profile: { username: 'mei_lin', first_name: 'Mei', email: 'mei@lab.example', groups: [], has_password: false },
    });
    const again = await logIn({ ...mei, preferred_username: 'renamed' });
    expect(again.answer.body.profile.user_id).toBe(answer.body.profile.user_id);
    const audit = await api.deps.db('audit_log').where({ resource_id: answer.body.profile.user_id });
    expect(audit.map(({ action }) => action)).toEqual(['create']);
    const logins = await api.deps.db('audit_log').where({ user_id: answer.body.profile.user_id });
    expect(logins.map(({ action, outcome, address }) => [action, outcome, address])).toEqual([
      ['login', 'success', '127.0.0.1'],
      ['login', 'success', '127.0.0.1'],
    ]);
  });

  test('an account created otherwise is not taken over by a person with its name at the provider', async () => {
    const { username } = await api.addUser({ username: 'boss' });
    const { answer } = await logIn(person(username));
    const { answer: unusable } = await logIn({ sub: 'id-nameless', preferred_username: '' });
    expect([answer.status, answer.body.code]).toEqual([403, 'sso_refused']);
    // The answer does not reveal that an account of that name exists.
    expect({ ...unusable.body, id: '' }).toEqual({ ...answer.body, id: '' });
    expect(JSON.stringify(answer.body)).not.toContain(username);
  });

  test('a person without a required claim value is rejected, also with an account', async () => {
    const { answer: before } = await logIn(person('ana', { email: 'ana@lab.example' }));
    expect(before.status).toBe(200);
    const allowed = { claim: 'email', values: ['kim@lab.example', 'lee@lab.example'] };
    const strict = await startApi({ signIn: { oidc: { ...oidc, allowed } } });
    try {
      const refused = await logIn(person('ana', { email: 'ana@lab.example' }), strict);
      expect([refused.answer.status, refused.answer.body.code]).toEqual([403, 'sso_refused']);
      expect((await logIn(person('lee', { email: 'lee@lab.example' }), strict)).answer.status).toBe(200);
    } finally {
      await strict.close();
    }
  });

  test('a disabled account is refused', async () => {
    const { answer } = await logIn(person('leaver'));
    await api.deps.db('app_user').where({ id: answer.body.profile.user_id }).update({ is_active: false });
    expect((await logIn(person('leaver'))).answer.body.code).toBe('account_disabled');
  });

  test('an answer is rejected without its cookie, with another cookie, with a changed state or a second time', async () => {
    const { back, cookie, answer } = await logIn(person('kim'));
    expect(answer.status).toBe(200);
    const other = await begin();
    const changed = new URL(back);
    changed.searchParams.set('state', 'x');
    const tries = [
      [back.search],
      [back.search, 'seqpanel_sso=x'],
      [back.search, other.cookie],
      [changed.search, cookie],
    ];
    for (const [query, sent] of [...tries, [back.search, cookie]]) {
      const refused = await finish(query!, sent);
      expect([refused.status, refused.body.code]).toEqual([401, 'sso_failed']);
    }
  });

  test('an answer that comes too late is refused', async () => {
    const { location, cookie } = await begin();
    const back = await provider.logIn(location, person('slow'));
    api.advance(FLOW_MINUTES * 60 + 1);
    expect((await finish(back.search, cookie)).body.code).toBe('sso_failed');
  });
});

test.each([
  ['mei', 'mei'],
  ['mei.lin@lab.example', 'mei_lin_lab_example'],
  ['梅', '_'],
])('the claim %s becomes the username %s', (claim, username) => {
  expect(usernameOf(claim)).toBe(username);
});

test('a claim of one text or of many counts when one value is allowed', () => {
  const groups = { claim: 'groups', values: ['lab', 'admins'] };
  expect(isAllowed(undefined, {})).toBe(true);
  expect(isAllowed(groups, { groups: ['guests', 'lab'] })).toBe(true);
  expect(isAllowed(groups, { groups: 'admins' })).toBe(true);
  expect(isAllowed(groups, { groups: ['guests'] })).toBe(false);
  expect(isAllowed(groups, { groups: 'laboratory' })).toBe(false);
  expect(isAllowed(groups, {})).toBe(false);
});

test('over https the cookie has the prefix that restricts it to https', () => {
  expect(flowCookie('x', true)).toMatch(/^__Host-seqpanel_sso=x; Path=\/; .*Secure$/);
  expect(flowCookie('x', false)).toMatch(/^seqpanel_sso=x; /);
});
