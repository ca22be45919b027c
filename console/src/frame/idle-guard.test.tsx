import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { OtherTabs } from '../../test/other-tabs.ts';
import { buildProfile } from '../../test/profiles.ts';
import { fakeApi, renderApp } from '../../test/render-app.tsx';
import { session } from '../session/session.ts';

const VERIFY = 'POST /api/v1/pivat/api-token-verify';
const MINUTE = 60_000;

beforeEach(() => {
  // setImmediate and microtasks stay real: React and the fake server need them.
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick', 'performance'], advanceTimers: true });
  OtherTabs.posted = [];
});
afterEach(() => jest.useRealTimers());

/** The dashboard of a user without activity; `minutes` is the stored timeout. */
async function openDashboard(minutes: number | null) {
  const profile = buildProfile({ auto_logout_timeout: minutes });
  const view = await renderApp('/dashboard', { profile, api: fakeApi(profile) });
  await screen.findByRole('heading', { level: 1 });
  return view;
}
const pass = (ms: number) => act(async () => void (await jest.advanceTimersByTimeAsync(ms)));
const press = () => act(async () => void fireEvent.keyDown(document.body, { key: 'a' }));
const warning = () => screen.queryByRole('alertdialog', { name: /Are you still there/ });

test.each([
  ['[AUTH-20] without a stored timeout', null, 30],
  ['[AUTH-21] with a stored timeout of 5 minutes', 5, 5],
  ['[AUTH-21] with a stored timeout of 45 minutes', 45, 45],
])('%s the session is warned a minute before its end and ends', async (_when, stored, minutes) => {
  const view = await openDashboard(stored);
  await pass((minutes - 1) * MINUTE - 5_000);
  expect(warning()).toBeNull();
  await pass(10_000);
  expect(within(warning() as HTMLElement).getAllByText(/You will be logged out in 5\d s\./)[0]).toBeVisible();
  await pass(45_000);
  expect(session.get()?.token).toBe('token-1');
  await pass(15_000);
  expect(session.get()).toBeUndefined();
  expect(session.ended).toBe('idle');
  expect(window.sessionStorage.getItem('token')).toBeNull();
  expect(view.at()).toMatch(/^\/login\?next=/);
  expect(OtherTabs.posted).toContainEqual({ kind: 'ended' });
});

test('[AUTH-20] activity in this tab starts the 30 minutes again and is reported to the other tabs', async () => {
  await openDashboard(null);
  await pass(25 * MINUTE);
  await press();
  expect(OtherTabs.posted).toContainEqual({ kind: 'active', at: expect.any(Number) });
  await pass(28 * MINUTE);
  expect(warning()).toBeNull();
  await pass(2 * MINUTE + 2_000);
  expect(session.get()).toBeUndefined();
});

test('[AUTH-20] activity in another tab starts the 30 minutes again', async () => {
  await openDashboard(null);
  await pass(29 * MINUTE + 30_000);
  expect(warning()).toBeVisible();
  await act(async () => OtherTabs.post({ kind: 'active', at: Date.now() }));
  await pass(2_000);
  expect(warning()).toBeNull();
  await pass(20 * MINUTE);
  expect(session.get()?.token).toBe('token-1');
});

test('a session that ended in another tab ends in this one', async () => {
  const view = await openDashboard(null);
  await act(async () => OtherTabs.post({ kind: 'ended' }));
  expect(session.get()).toBeUndefined();
  await waitFor(() => expect(view.at()).toMatch(/^\/login/));
});

test('the warning closes only by its own button, which keeps the session', async () => {
  await openDashboard(null);
  await pass(29 * MINUTE + 2_000);
  await press();
  await pass(2_000);
  expect(warning()).toBeVisible();
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Stay logged in' })));
  expect(warning()).toBeNull();
  await pass(20 * MINUTE);
  expect(session.get()?.token).toBe('token-1');
});

test('activity without calls keeps the session alive with one call in 5 minutes', async () => {
  const view = await openDashboard(null);
  const atEntry = view.api.called(VERIFY).length;
  await press();
  expect(view.api.called(VERIFY)).toHaveLength(atEntry);
  await pass(5 * MINUTE);
  await press();
  await press();
  expect(view.api.called(VERIFY)).toHaveLength(atEntry + 1);
});
