/** Plays the calls of a login, a session and a password change that the api refuses. */
import { type Answer, PASSWORD, startApi, type TestApi } from '../api.ts';

/** Nothing listens there. */
const NOWHERE = '127.0.0.1:1';
const LDAP = {
  url: `ldap://${NOWHERE}`,
  startTls: false,
  bindDn: '',
  bindPassword: '',
  searchBase: 'dc=lab,dc=example',
  userAttribute: 'uid',
};
const OIDC = {
  issuer: new URL(`http://${NOWHERE}`),
  clientId: 'seqpanel',
  clientSecret: undefined,
  name: 'Lab login',
  usernameClaim: 'preferred_username',
  allowed: undefined,
  redirectUri: 'http://127.0.0.1:9/login/sso',
};

const logIn = (api: TestApi, username: string, password: string): Promise<Answer> =>
  api.call('POST', '/auth/login', { body: { username, password } });

export async function playSignIn(api: TestApi): Promise<Answer[]> {
  return [...(await playLogins(api)), ...(await playSessions(api)), ...(await playPasswords(api))];
}

async function playLogins(api: TestApi): Promise<Answer[]> {
  const { db } = api.deps;
  const disabled = await api.addUser();
  await db('app_user').where({ id: disabled.id }).update({ is_active: false });
  const group = await api.addGroup();
  const grouped = await api.addUser({ groups: { [group]: 'member' } });
  await db('user_group').where({ id: group }).update({ active: false });
  const locked = await api.addUser();
  for (let i = 0; i < 5; i++) await logIn(api, locked.username, 'wrong');
  return [
    await logIn(api, 'nobody', 'wrong'),
    await logIn(api, disabled.username, PASSWORD),
    await logIn(api, grouped.username, PASSWORD),
    await logIn(api, locked.username, PASSWORD),
  ];
}

/** Plays logins while neither the directory nor the login provider can be reached. */
export async function playOtherServers(api: TestApi): Promise<Answer[]> {
  const { db, config } = api.deps;
  const database = { db, url: config.databaseUrl, ownerUrl: '', close: async () => undefined };
  const alone = await startApi({ database, storageDir: api.storageDir, signIn: { ldap: LDAP, oidc: OIDC } });
  try {
    const { id, username } = await alone.addUser();
    await db('app_user').where({ id }).update({ is_ldap: true });
    return [
      await logIn(alone, username, PASSWORD),
      await alone.call('POST', '/auth/sso/begin'),
      await alone.call('POST', '/auth/sso/finish', { body: { query: '?error=access_denied' } }),
    ];
  } finally {
    await alone.close();
  }
}

async function playSessions(api: TestApi): Promise<Answer[]> {
  const group = await api.addGroup();
  const user = await api.addUser({ groups: { [group]: 'member' } });
  const oneTime = await api.addUser({ groups: { [group]: 'member' } });
  await api.deps.db('app_user').where({ id: oneTime.id }).update({ must_change_password: true });
  return [
    await api.call('GET', '/api/v1/pivat/profile'),
    await api.call('POST', '/api/v1/pivat/api-token-verify', { body: { token: 'x' } }),
    await api.call('GET', `/api/v1/pivat/${group}/projects`, { token: oneTime.token }),
    await api.call('GET', '/api/v1/pivat/admin/users', { token: user.token }),
  ];
}

async function playPasswords(api: TestApi): Promise<Answer[]> {
  const { token } = await api.addUser();
  const change = (current: string, next: string) =>
    api.call('POST', '/api/v1/pivat/profile/password', {
      token,
      body: { current_password: current, new_password: next, repeat_password: next },
    });
  return [
    await change('Wrong-Horse7', 'New-pass2'),
    await change(PASSWORD, PASSWORD),
    await change(PASSWORD, 'Password1!'),
  ];
}
