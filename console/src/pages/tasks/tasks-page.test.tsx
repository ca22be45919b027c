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
  stage: 'annotation',
  stage_number: 2,
  step: 'call',
  can_abort: true,
  can_rerun: false,
  samples: { total: 4, done: 1, running: 3, failed: 0, incomplete: 0 },
});
const tasksApi = () => fakeApi().on(TASKS, { count: 2, results: [partly, running] });
const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement;

test('[TASK-01] a row has ID, task name, date, group, status, stage and the operations abort and rerun', async () => {
  const api = tasksApi().on('POST /api/v1/pivat/*/tasks/*/abort', buildTask({ status: 'aborted' }));
  const view = await renderApp('/secondary-analysis/tasks', { api });
  const row = await rowOf('running');
  const headers = screen.getAllByRole('columnheader').map((header) => header.textContent);
  expect(headers).toEqual(['ID', 'Task name', 'Date', 'Group', 'Status', 'Stage', 'Operation']);
  const cells = [...row.children].map((cell) => cell.textContent);
  expect(cells.slice(0, 4)).toEqual(['88888888 ', 'runningPanel · default', '2026-11-01 08:00:00', 'Lab A']);
  expect(cells[4]).toContain('Running');
  expect(cells[5]).toBe('Functional annotation2 of 5');
  expect(cells[6]).toBe('AbortRerun');
  expect(within(row).getByRole('button', { name: 'Rerun running' })).toHaveAttribute('aria-disabled', 'true');
  expect(within(await rowOf('partly')).queryByRole('button', { name: 'Abort partly' })).toBeNull();
  expect(within(await rowOf('partly')).getByRole('button', { name: 'Rerun partly' })).toBeEnabled();
  await view.user.click(within(row).getByRole('button', { name: 'Abort running' }));
  await view.user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Abort task' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.called('POST /api/v1/pivat/*/tasks/*/abort').map(({ path }) => path)).toEqual([
    `/api/v1/pivat/${GROUP_A}/tasks/${running.id}/abort`,
  ]);
});

test('[TASK-02] a page has 20 rows, and 5, 10, 15, 20, 30, 50 and 100 can be chosen', async () => {
  const view = await renderApp('/secondary-analysis/tasks', { api: tasksApi() });
  await rowOf('partly');
  expect(view.api.called(TASKS)[0]?.query.get('page_size')).toBe('20');
  const [pagination] = document.querySelectorAll<HTMLElement>('#tasks-top-top-toggle, #tasks-top-toggle');
  await view.user.click(pagination!);
  const sizes = await screen.findAllByRole('menuitem', { name: /per page/ });
  expect(sizes.map(({ textContent }) => Number.parseInt(textContent ?? '', 10))).toEqual([5, 10, 15, 20, 30, 50, 100]);
  await view.user.click(sizes[5]!);
  await waitFor(() => expect(view.api.called(TASKS).at(-1)?.query.get('page_size')).toBe('50'));
});

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
