import { act, screen, waitFor } from '@testing-library/react';
import { apiError } from '../test/fake-api.ts';
import { buildProfile, GROUP_A } from '../test/profiles.ts';
import { recordedError } from '../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../test/render-app.tsx';
import { session } from './session/session.ts';

test('[AUTH-17] the root leads to /dashboard', async () => {
  const view = await renderApp('/');
  expect(await screen.findByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  expect(view.at()).toBe('/dashboard');
  expect(await violations()).toEqual([]);
});

test('[AUTH-16] the stored token is verified on entry', async () => {
  const view = await renderApp('/dashboard');
  await screen.findByRole('heading', { level: 1 });
  expect(view.api.called('POST /api/v1/pivat/api-token-verify')[0]?.body).toEqual({ token: 'token-1' });
});

test('[AUTH-16] without a token a protected page leads to /login', async () => {
  const view = await renderApp('/user-settings', { profile: null });
  await waitFor(() => expect(view.at()).toBe('/login?next=%2Fuser-settings'));
});

test('[ERR-04] [AUTH-16] an invalid token leads to /login, which shows the reason', async () => {
  const api = fakeApi()
    .on('POST /api/v1/pivat/api-token-verify', () => recordedError('token_invalid'))
    .on('POST /api/v1/pivat/api-token-refresh', () => recordedError('token_invalid'));
  const view = await renderApp('/dashboard', { api });
  expect(await screen.findByText('The token is invalid. Please log in again!')).toBeVisible();
  expect(view.at()).toMatch(/^\/login/);
  expect(session.get()).toBeUndefined();
});

test('an expired token is refreshed on entry and the page opens', async () => {
  const api = fakeApi()
    .on('POST /api/v1/pivat/api-token-verify', () => recordedError('token_invalid'))
    .on('POST /api/v1/pivat/api-token-refresh', { access: 'token-2', refresh: 'refresh-2' });
  await renderApp('/dashboard', { api });
  expect(await screen.findByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  expect(session.get()?.token).toBe('token-2');
});

test('[AUTH-18] a user whose stored group list is missing is redirected to the start page, which reads it again', async () => {
  const view = await renderApp('/login', { profile: null, api: fakeApi() });
  const profile = buildProfile();
  session.set({ ...profile, token: 't', refresh_token: 'r', groups: undefined });
  await act(() => view.router.navigate('/tools/projects'));
  await waitFor(() => expect(view.at()).toBe('/dashboard'));
  expect(session.get()?.groups).toEqual(profile.groups);
});

test('[ERR-82] [ROLE-03] a user who is neither staff nor group admin is redirected from the system settings to /error', async () => {
  const view = await renderApp('/system-settings/panel-types');
  expect(await screen.findByText(/System settings are for staff and group admins/)).toBeVisible();
  expect(view.at()).toBe('/error');
  expect(session.get()?.token).toBe('token-1');
  expect(await violations()).toEqual([]);
});

test('[ERR-81] any unknown path shows a 404 page with a button back to the dashboard', async () => {
  const view = await renderApp('/no/such/page');
  expect(await screen.findByRole('heading', { name: 'Page not found' })).toBeVisible();
  await view.user.click(screen.getByRole('link', { name: 'Back to the dashboard' }));
  await waitFor(() => expect(view.at()).toBe(`/dashboard?group=${GROUP_A}`));
});

test('[ERR-02] a refresh that fails shows the forbidden message, clears the tokens and leads to /login after 0.5 s', async () => {
  let refuse: (answer: unknown) => void = () => undefined;
  const api = fakeApi()
    .on('GET /api/v1/pivat/*/projects', () => recordedError('token_invalid'))
    .on('POST /api/v1/pivat/api-token-refresh', () => new Promise((resolve) => (refuse = resolve)));
  const view = await renderApp('/tools/projects', { api });
  await waitFor(() => expect(api.called('POST /api/v1/pivat/api-token-refresh')).toHaveLength(1));
  const times = { ended: 0, left: 0 };
  session.onEnd(() => (times.ended = performance.now()));
  view.router.subscribe(({ location }) => {
    if (location.pathname === '/login') times.left ||= performance.now();
  });
  await act(async () => refuse(recordedError('token_invalid')));
  await waitFor(() => expect(session.get()).toBeUndefined());
  expect(window.sessionStorage.getItem('token')).toBeNull();
  await waitFor(() => expect(view.at()).toMatch(/^\/login\?next=/));
  expect(times.left - times.ended).toBeGreaterThanOrEqual(490);
  expect(await screen.findByText(/not logged in or the token is invalid/)).toBeVisible();
});

test('a 403 for the role keeps the session and the page shows it', async () => {
  const denied = fakeApi().on('GET /api/v1/pivat/*/projects', recordedError('permission_denied'));
  await renderApp('/tools/projects', { api: denied });
  expect(await screen.findByText("You don't have access to this page")).toBeVisible();
  expect(session.get()?.token).toBe('token-1');
});

test('[ERR-03] any other 403 ends the session and leads to /login', async () => {
  const forbidden = fakeApi().on('GET /api/v1/pivat/*/projects', () => apiError(403, 'unauthorized'));
  const view = await renderApp('/tools/projects', { api: forbidden });
  await waitFor(() => expect(view.at()).toMatch(/^\/login/));
  expect(session.get()).toBeUndefined();
});

test('[AUTH-19] logout posts the refresh token, clears the session storage and goes to /login', async () => {
  const api = fakeApi().on('POST /auth/logout', null);
  const view = await renderApp('/dashboard', { api });
  await view.user.click(await screen.findByRole('button', { name: 'User menu of mei' }));
  await view.user.click(await screen.findByRole('menuitem', { name: 'Log out' }));
  await waitFor(() => expect(view.at()).toBe('/login'));
  expect(api.called('POST /auth/logout')[0]?.body).toEqual({ refresh_token: 'refresh-1' });
  expect(window.sessionStorage).toHaveLength(0);
});

test('[ERR-77] a notice of an expiring password links to the page that changes it', async () => {
  const profile = buildProfile({ password_expires_in_days: 3 });
  const view = await renderApp('/dashboard', { api: fakeApi(profile) });
  expect(await screen.findByText(/will expire in 3 days/)).toBeVisible();
  await view.user.click(screen.getByRole('link', { name: 'Change password' }));
  expect(await screen.findByLabelText(/^Current password/)).toBeVisible();
});

test('[I18N-03] the language of the frame changes at once and is saved in profile and session', async () => {
  const api = fakeApi().on('PUT /api/v1/pivat/profile', (call) => buildProfile(call.body as object));
  const view = await renderApp('/dashboard', { api });
  await view.user.click(await screen.findByRole('button', { name: 'Language: English' }));
  await view.user.click(await screen.findByRole('option', { name: '中文' }));
  expect(await screen.findByRole('heading', { level: 1, name: '仪表板' })).toBeVisible();
  await waitFor(() => expect(session.get()?.lang).toBe('zh'));
  expect(api.called('PUT /api/v1/pivat/profile')[0]?.body).toEqual({ lang: 'zh' });
});
