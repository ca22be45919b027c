import { screen, waitFor, within } from '@testing-library/react';
import { GROUP_A } from '../../../test/profiles.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { buildTask } from '../../../test/tasks.ts';

const TASKS = 'GET /api/v1/pivat/*/tasks';
const partly = buildTask({ name: 'partly', samples: { total: 2, done: 1, running: 0, failed: 1, incomplete: 1 } });
const running = buildTask({
  id: '88888888-8888-4888-8888-888888888888',
  name: 'running',
  status: 'running',
  step: 'call',
  samples: { total: 4, done: 1, running: 3, failed: 0, incomplete: 0 },
});
const tasksApi = () => fakeApi().on(TASKS, { count: 2, results: [partly, running] });
const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement;

test('a task that completed with failed samples shows their number', async () => {
  await renderApp('/secondary-analysis/tasks', { api: tasksApi() });
  expect(await rowOf('partly')).toHaveTextContent('Completed, 1 of 2 failed');
  expect(await violations()).toEqual([]);
});

test('the progress of a running task shows its step', async () => {
  await renderApp('/secondary-analysis/tasks', { api: tasksApi() });
  const row = await rowOf('running');
  expect(within(row).getByText('call')).toBeVisible();
  expect(row).toHaveTextContent('1/4');
});

test('every link to a task contains the group, also the default group', async () => {
  await renderApp('/secondary-analysis/tasks', { api: tasksApi() });
  expect(within(await rowOf('partly')).getByRole('link', { name: 'partly' })).toHaveAttribute(
    'href',
    `/secondary-analysis/tasks/${partly.id}?group=${GROUP_A}`,
  );
});

test('one button opens the fields for the period of the list, which is sent to the server', async () => {
  const view = await renderApp('/secondary-analysis/tasks', { api: tasksApi() });
  await rowOf('partly');
  expect(screen.queryByLabelText('From (UTC)')).toBeNull();
  await view.user.click(screen.getByRole('button', { name: 'Date range' }));
  const from = await screen.findByLabelText('From (UTC)');
  await view.user.type(from, '2026-11-01{Enter}');
  expect(view.at()).toContain('from=2026-11-01');
  await waitFor(() => expect(view.api.called(TASKS).at(-1)?.query.get('from')).toBe('2026-11-01'));
});

test('Tab focuses the skip links first; the second one leads to the table, and so does F6', async () => {
  const view = await renderApp('/secondary-analysis/tasks', { api: tasksApi() });
  await rowOf('partly');
  await view.user.tab();
  expect(screen.getByRole('link', { name: 'Skip to content' })).toHaveFocus();
  await view.user.tab();
  await view.user.keyboard('{Enter}');
  const results = document.querySelector('[data-region=results]');
  expect(results).toHaveFocus();
  (document.activeElement as HTMLElement).blur();
  await view.user.keyboard('{F6}');
  expect(results).toHaveFocus();
});
