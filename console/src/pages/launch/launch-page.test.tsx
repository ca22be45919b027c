import { act, screen, waitFor, within } from '@testing-library/react';
import { buildPanel, FILES, launchApi } from '../../../test/launch.ts';
import { buildProfile, GROUP_A } from '../../../test/profiles.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { session } from '../../session/session.ts';

const START = '/secondary-analysis/launch/start-from';
type View = Awaited<ReturnType<typeof renderApp>>;

/** Opens the choice whose label begins so, and returns the texts of its options. */
async function openChoice(view: View, label: string): Promise<string[]> {
  await view.user.click(await screen.findByRole('button', { name: new RegExp(`^${label}:`) }));
  return (await screen.findAllByRole('option')).map((option) => option.textContent ?? '');
}
async function choose(view: View, label: string, option: RegExp) {
  await openChoice(view, label);
  await view.user.click(screen.getByRole('option', { name: option }));
}
const next = (view: View) => view.user.click(screen.getByRole('button', { name: 'Next' }));

test('[LAUNCH-01] the address of the wizard leads to its first step', async () => {
  const view = await renderApp(`/secondary-analysis/launch?group=${GROUP_A}`, { api: launchApi() });
  expect(await screen.findByRole('heading', { level: 2, name: 'Start from' })).toBeVisible();
  expect(view.at()).toBe(`${START}?group=${GROUP_A}`);
});

test('[LAUNCH-03] the wizard fills the width of the window and calls for the group of the address', async () => {
  const view = await renderApp(`${START}?group=${GROUP_A}`, { api: launchApi() });
  await screen.findByRole('heading', { level: 2, name: 'Start from' });
  const section = document.querySelector('.sp-launch') as HTMLElement;
  expect(section).toHaveClass('pf-m-fill');
  expect(section).not.toHaveClass('pf-m-limit-width');
  expect(view.api.called(`GET /api/v1/pivat/${GROUP_A}/panel-types`)).toHaveLength(1);
});

test('[LAUNCH-03] without a known group the wizard makes no call and leads to the start page', async () => {
  const api = fakeApi();
  const view = await renderApp('/login', { profile: null, api });
  session.set({ ...buildProfile(), token: 't', refresh_token: 'r', groups: undefined });
  await act(() => view.router.navigate(START));
  await waitFor(() => expect(view.at()).toBe('/dashboard'));
  expect(api.calls.filter(({ path }) => path.includes('panel-types'))).toEqual([]);
});

test('[LAUNCH-05] the first step asks for panel and parameters file, the second for the samples', async () => {
  const view = await renderApp(START, { api: launchApi() });
  expect(await screen.findByRole('button', { name: "Parameters file: The panel's default" })).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Select all matching' })).toBeNull();
  await choose(view, 'Project with the sample data files', /run_1/);
  await choose(view, 'Panel', /Lung panel/);
  expect(screen.getByRole('button', { name: 'Panel: Lung panel' })).toBeVisible();
  await choose(view, 'Parameters file', /strict/);
  expect(screen.getByRole('button', { name: 'Parameters file: strict' })).toBeVisible();
  expect(await violations()).toEqual([]);
  await next(view);
  await waitFor(() => expect(view.at()).toContain('/launch/select-files'));
  const grid = await screen.findByRole('grid', { name: 'Select files' });
  expect((await within(grid).findAllByRole('rowheader')).map((cell) => cell.textContent)).toEqual(
    FILES.map(({ name }) => name),
  );
  await view.user.click(screen.getByRole('button', { name: 'Select all matching' }));
  await next(view);
  await waitFor(() => expect(view.at()).toContain('/launch/edit-definition'));
  expect(await screen.findByRole('textbox', { name: 'Sample name: T1' })).toHaveValue('T1');
});

test('a panel that is inactive, invalid or not ready is not offered', async () => {
  const results = [
    buildPanel({ id: 'a', display_name: 'Inactive', active: false }),
    buildPanel({ id: 'b', display_name: 'Invalid', valid: false }),
    buildPanel({ id: 'c', display_name: 'Waiting', ready: false }),
    buildPanel(),
  ];
  const view = await renderApp(START, {
    api: launchApi().on('GET /api/v1/pivat/*/panel-types', { count: 4, results }),
  });
  expect(await openChoice(view, 'Panel')).toEqual(['Lung panellung, 12 amplicons, hg19']);
});

test('[LAUNCH-07] the parameters files offered are those of the chosen panel', async () => {
  const view = await renderApp(START, { api: launchApi() });
  await choose(view, 'Panel', /Lung panel/);
  expect(await openChoice(view, 'Parameters file')).toEqual(["The panel's default", 'strictversion 3, mei']);
  await view.user.click(screen.getByRole('option', { name: /strict/ }));
  await choose(view, 'Panel', /Blood panel/);
  expect(screen.getByRole('button', { name: "Parameters file: The panel's default" })).toBeVisible();
  await waitFor(async () =>
    expect(view.api.called('GET /api/v1/pivat/*/custom-preset/info').map(({ query }) => query.get('panel'))).toEqual([
      'lung',
      'blood',
    ]),
  );
  expect(await openChoice(view, 'Parameters file')).toEqual(["The panel's default", 'blood-defaultversion 3, mei']);
});

test('[ERR-80] leaving the wizard with unsaved changes asks first, staying keeps them, and a step is not left', async () => {
  const view = await renderApp(START, { api: launchApi() });
  await choose(view, 'Project with the sample data files', /run_1/);
  await choose(view, 'Panel', /Lung panel/);
  await next(view);
  expect(await screen.findByRole('heading', { level: 2, name: 'Select files' })).toBeVisible();
  expect(screen.queryByRole('dialog')).toBeNull();
  await view.user.click(screen.getByRole('link', { name: 'Dashboard' }));
  const dialog = within(await screen.findByRole('dialog', { name: /Leave without saving/ }));
  await view.user.click(dialog.getByRole('button', { name: 'Stay' }));
  expect(view.at()).toContain('/launch/select-files');
  await view.user.click(screen.getByRole('button', { name: 'Back' }));
  expect(await screen.findByRole('button', { name: 'Panel: Lung panel' })).toBeVisible();
  await view.user.click(screen.getByRole('link', { name: 'Dashboard' }));
  await view.user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Discard changes' }));
  await waitFor(() => expect(view.at()).toBe(`/dashboard?group=${GROUP_A}`));
});

test('an untouched wizard is left without a question', async () => {
  const view = await renderApp(START, { api: launchApi() });
  await screen.findByRole('heading', { level: 2, name: 'Start from' });
  await view.user.click(screen.getByRole('link', { name: 'Dashboard' }));
  await waitFor(() => expect(view.at()).toBe(`/dashboard?group=${GROUP_A}`));
});

test.each([
  ['panels', 'panel-types', 'The panels could not be loaded.'],
  ['parameters files', 'custom-preset/info', 'The parameters files could not be loaded.'],
  ['projects', 'projects', 'The projects could not be loaded.'],
])('[ERR-75] %s that could not be fetched are named, and a retry fetches them', async (_what, call, message) => {
  const api = launchApi();
  const broken = launchApi().on(`GET /api/v1/pivat/*/${call}`, recordedError('internal_error'));
  const view = await renderApp(START, { api: broken });
  if (call === 'custom-preset/info') await choose(view, 'Panel', /Lung panel/);
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent(message);
  expect(alert).toHaveTextContent('500 Internal Server Error');
  window.fetch = api.fetch as typeof window.fetch;
  await view.user.click(within(alert).getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  expect(api.called(`GET /api/v1/pivat/*/${call}`)).toHaveLength(1);
});
