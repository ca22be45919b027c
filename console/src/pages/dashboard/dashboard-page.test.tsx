import { screen, waitFor, within } from '@testing-library/react';
import { launchApi } from '../../../test/launch.ts';
import { buildProfile, GROUP_A } from '../../../test/profiles.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import type { GroupStorage } from '../../queries/projects.ts';

const GB = 1024 ** 3;
const storageApi = (change: Partial<GroupStorage> = {}) =>
  fakeApi().on('GET /api/v1/pivat/*/group-storage', {
    used: 12 * GB,
    limit: 50 * GB,
    user_used: 3 * GB,
    user_limit: 20 * GB,
    max_files_per_batch: 100,
    max_file_bytes: 2 * GB,
    ...change,
  });
const storageCard = async () =>
  within((await screen.findByRole('heading', { level: 2, name: 'Storage' })).closest('.pf-v6-c-card') as HTMLElement);

test.each([
  ['Upload files', 'Data management', '/tools/projects'],
  ['Launch an analysis', 'Launch analysis', '/secondary-analysis/launch/start-from'],
  ['See results', 'Tasks', '/secondary-analysis/tasks'],
])('[DASH-06] the quick start "%s" opens the page %s', async (link, title, path) => {
  const view = await renderApp('/dashboard', { api: launchApi() });
  await view.user.click(await screen.findByRole('link', { name: link }));
  expect(await screen.findByRole('heading', { level: 1, name: title })).toBeVisible();
  expect(view.at()).toBe(`${path}?group=${GROUP_A}`);
});

test('[DASH-08] [USAGE-03] an ordinary user sees the used storage out of the quota in GB, of the group and of their own', async () => {
  const profile = buildProfile();
  expect([profile.is_staff, profile.is_superuser]).toEqual([false, false]);
  await renderApp('/dashboard', { profile, api: storageApi() });
  const card = await storageCard();
  expect(card.getByRole('progressbar', { name: 'Group Lab A' })).toHaveAttribute(
    'aria-valuetext',
    '12.0 GB of 50.0 GB',
  );
  expect(card.getByText('12.0 GB of 50.0 GB')).toBeVisible();
  expect(card.getByRole('progressbar', { name: 'My files' })).toHaveAttribute('aria-valuenow', '15');
  expect(card.getByText('3.0 GB of 20.0 GB')).toBeVisible();
  expect(await violations()).toEqual([]);
});

test('[USAGE-03] storage without a limit is shown in GB and says so', async () => {
  await renderApp('/dashboard', { api: storageApi({ user_used: 0.05 * GB, user_limit: null }) });
  expect((await storageCard()).getByText('0.05 GB, no limit')).toBeVisible();
});

test('[USAGE-03] the masthead of every page and the list of projects show the storage in GB as used out of limit', async () => {
  const api = storageApi().on('GET /api/v1/pivat/*/projects', { count: 0, results: [] });
  const view = await renderApp('/dashboard', { api });
  const meter = await screen.findByRole('progressbar', { name: 'Storage' });
  expect(meter).toHaveAttribute('aria-valuetext', '12.0 GB of 50.0 GB');
  await view.user.click(meter.closest('a') as HTMLElement);
  await waitFor(() => expect(view.at()).toBe(`/tools/projects?group=${GROUP_A}`));
  expect(await within(screen.getByRole('main')).findByText('3.0 GB of 20.0 GB')).toBeVisible();
});
