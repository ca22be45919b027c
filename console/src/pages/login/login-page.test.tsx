import { screen, waitFor } from '@testing-library/react';
import { buildProfile } from '../../../test/profiles.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { safeNext } from '../../session/safe-next.ts';
import { session } from '../../session/session.ts';

const SESSION = { token: 't', refresh_token: 'r', profile: buildProfile() };
const loggedOut = () => fakeApi().on('POST /auth/login', SESSION).on('GET /auth/options', { sso: null });

async function logIn(view: Awaited<ReturnType<typeof renderApp>>, name = 'mei', password = 'secret') {
  if (name) await view.user.type(await screen.findByLabelText(/^Username/), name);
  if (password) await view.user.type(await screen.findByLabelText(/^Password/), password);
  await view.user.click(await screen.findByRole('button', { name: 'Log in' }));
}

test('[AUTH-02] [HELP-12] the page shows the disclaimer, the license terms and the link to the software list', async () => {
  const view = await renderApp('/login', { profile: null, api: loggedOut() });
  expect(await screen.findByText(/research use only and must not be used for diagnosis/)).toBeVisible();
  await view.user.click(screen.getByRole('button', { name: 'License terms' }));
  expect(screen.getByText(/not for diagnosis\. Do not base/)).toBeVisible();
  expect(screen.getByRole('link', { name: 'Open-source software list' })).toHaveAttribute('href', '/software-list');
  expect(await violations()).toEqual([]);
});

test('[AUTH-03] login without a username or a password is refused with a message that names the field', async () => {
  const view = await renderApp('/login', { profile: null, api: loggedOut() });
  await logIn(view, '', '');
  expect(await screen.findByText('Username is required.')).toBeVisible();
  expect(screen.getByText('Password is required.')).toBeVisible();
  expect(view.api.called('POST /auth/login')).toHaveLength(0);
  expect(await violations()).toEqual([]);
});

test('[AUTH-04] [AUTH-14] the right password fills the session and leads to /dashboard', async () => {
  const view = await renderApp('/login', { profile: null, api: loggedOut() });
  await logIn(view);
  await waitFor(() => expect(view.at()).toBe('/dashboard'));
  expect(session.get()).toMatchObject({ token: 't', refresh_token: 'r', username: 'mei', lang: 'en' });
  expect(view.api.called('POST /auth/login')[0]?.body).toEqual({ username: 'mei', password: 'secret' });
});

test.each([
  ['[ERR-22]', 'login_failed', 'Invalid username or password.'],
  ['[ERR-23]', 'account_disabled', 'This account is disabled.'],
  ['[ERR-24]', 'group_disabled', 'The user group is disabled.'],
  ['[ERR-25]', 'account_locked', 'The account is locked after multiple failed login attempts.'],
  ['[ERR-26]', 'ldap_misconfigured', 'The LDAP server is misconfigured.'],
] as const)('%s a rejection %s is shown above the form', async (_row, code, message) => {
  const api = loggedOut().on('POST /auth/login', recordedError(code));
  const view = await renderApp('/login', { profile: null, api });
  await logIn(view);
  expect(await screen.findByRole('alert')).toHaveTextContent(message);
  expect(view.at()).toBe('/login');
  expect(api.called('POST /api/v1/pivat/api-token-refresh')).toHaveLength(0);
});

test('[I18N-03] the language changes at once on the login page and is remembered', async () => {
  const view = await renderApp('/login', { profile: null, api: loggedOut() });
  await view.user.click(await screen.findByRole('button', { name: 'Language: English' }));
  await view.user.click(await screen.findByRole('option', { name: '中文' }));
  expect(await screen.findByLabelText(/^用户名/)).toBeVisible();
  expect(window.localStorage.getItem('seqpanel.lang')).toBe('zh');
  expect(document.documentElement.lang).toBe('zh');
});

test('[I18N-02] without a choice the language is en', async () => {
  await renderApp('/login', { profile: null, api: loggedOut() });
  expect(await screen.findByRole('heading', { name: 'Log in' })).toBeVisible();
});

test('after the login the requested page opens', async () => {
  const view = await renderApp('/tools/projects?q=x', { profile: null, api: loggedOut() });
  await waitFor(() => expect(view.at()).toBe('/login?next=%2Ftools%2Fprojects%3Fq%3Dx'));
  await logIn(view);
  await waitFor(() => expect(view.at()).toBe('/tools/projects?q=x'));
});

test.each([
  '//evil.example',
  'https://evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  '',
  null,
  '/login?next=/x',
  '/change-password?next=/x',
])('next=%s leads to the dashboard', (next) => {
  expect(safeNext(next)).toBe('/dashboard');
});

describe('a one-time password', () => {
  const CHANGE = 'POST /api/v1/pivat/profile/password';
  /** A server that admits only reading and changing the profile, as with a one-time password. */
  const beginner = () => {
    let mustChange = true;
    const profile = () => buildProfile({ must_change_password: mustChange });
    return loggedOut()
      .on('POST /auth/login', () => ({ ...SESSION, profile: profile() }))
      .on('GET /api/v1/pivat/profile', profile)
      .on('GET /api/v1/pivat/*/projects', () =>
        mustChange ? recordedError('password_change_required') : { count: 0, results: [] },
      )
      .on(CHANGE, () => {
        mustChange = false;
        return null;
      });
  };
  const change = async (view: Awaited<ReturnType<typeof renderApp>>) => {
    await view.user.type(await screen.findByLabelText(/^Current password/), 'Old-pass1');
    await view.user.type(screen.getByLabelText(/^New password/), 'New-pass2');
    await view.user.type(screen.getByLabelText(/^Repeat the new password/), 'New-pass2');
    await view.user.click(screen.getByRole('button', { name: 'Change password' }));
  };

  test('opens after the login the page that changes it, with the reason, and then the requested page', async () => {
    const view = await renderApp('/tools/projects?q=x', { profile: null, api: beginner() });
    await logIn(view);
    await waitFor(() => expect(view.at()).toBe('/change-password?next=%2Ftools%2Fprojects%3Fq%3Dx'));
    expect(await screen.findByText(/logged in with a one-time password/)).toBeVisible();
    expect(await violations()).toEqual([]);
    await change(view);
    await waitFor(() => expect(view.at()).toBe('/tools/projects?q=x'));
    expect(view.api.called(CHANGE)).toHaveLength(1);
    expect(session.get()?.token).toBe('t');
  });

  test('opens that page from any page that the server rejects, and keeps the session', async () => {
    const view = await renderApp('/tools/projects', { api: beginner() });
    await waitFor(() => expect(view.at()).toBe('/change-password?next=%2Ftools%2Fprojects'));
    expect(session.get()?.token).toBe('token-1');
    await change(view);
    await waitFor(() => expect(view.at()).toBe('/tools/projects'));
  });

  test('a common password is rejected by the server, and the page stays open', async () => {
    const api = beginner().on(CHANGE, recordedError('password_common'));
    const view = await renderApp('/change-password?next=%2Ftools%2Fprojects', { api });
    await change(view);
    expect(await screen.findByRole('alert')).toHaveTextContent('This password is too common.');
    expect(view.at()).toBe('/change-password?next=%2Ftools%2Fprojects');
  });

  test('the user can log out instead', async () => {
    const view = await renderApp('/change-password', { api: beginner().on('POST /auth/logout', null) });
    await view.user.click(await screen.findByRole('button', { name: 'Log out' }));
    await waitFor(() => expect(view.at()).toBe('/login'));
    expect(view.api.called('POST /auth/logout')).toHaveLength(1);
  });

  test('without a one-time password the page redirects immediately', async () => {
    const view = await renderApp('/change-password?next=%2Fuser-settings');
    await waitFor(() => expect(view.at()).toBe('/user-settings'));
  });
});

test('[AUTH-09] a configured provider has a button, and its login returns to the requested page', async () => {
  const api = loggedOut()
    .on('GET /auth/options', { sso: { name: 'Lab login' } })
    .on('POST /auth/sso/begin', recordedError('sso_unavailable'));
  const view = await renderApp('/login', { profile: null, api });
  await view.user.click(await screen.findByRole('button', { name: 'Log in with Lab login' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('The login provider cannot be reached.');
  expect(await violations()).toEqual([]);
});

test('[AUTH-09] after the return from the provider the session is filled and the requested page opens', async () => {
  const api = loggedOut().on('POST /auth/sso/finish', () => {
    window.sessionStorage.setItem('seqpanel.sso-next', '/tools/projects'); // the state that beginSso stored; each test starts without it
    return SESSION;
  });
  const view = await renderApp('/login/sso?code=c&state=s', { profile: null, api });
  await waitFor(() => expect(view.at()).toMatch(/^\/tools\/projects/));
  expect(session.get()).toMatchObject({ token: 't', refresh_token: 'r', username: 'mei' });
  expect(api.called('POST /auth/sso/finish').map(({ body }) => body)).toEqual([{ query: '?code=c&state=s' }]);
});

test('a rejection by the provider is shown with a link back to the login', async () => {
  const api = loggedOut().on('POST /auth/sso/finish', recordedError('sso_failed'));
  const view = await renderApp('/login/sso?error=access_denied', { profile: null, api });
  expect(await screen.findByRole('alert')).toHaveTextContent('Please try again.');
  expect(await violations()).toEqual([]);
  await view.user.click(screen.getByRole('link', { name: 'Back to the login' }));
  await waitFor(() => expect(view.at()).toBe('/login'));
});
