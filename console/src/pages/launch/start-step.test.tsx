import { act, screen, waitFor } from '@testing-library/react';
import { buildAdminTask } from '../../../test/admin.ts';
import { buildDefinition, LAUNCH, launchApi, PANEL, PROJECT } from '../../../test/launch.ts';
import { GROUP_A } from '../../../test/profiles.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { renderApp, violations } from '../../../test/render-app.tsx';

const PREVIEW = '/secondary-analysis/launch/preview?from=task-1';

/** Presses Start analysis on the preview of an earlier definition. */
async function start(api = launchApi()) {
  const view = await renderApp(PREVIEW, { api });
  await screen.findByText('Lung panel (lung)');
  await view.user.click(screen.getByRole('button', { name: 'Start analysis' }));
  await waitFor(() => expect(api.called(LAUNCH)).toHaveLength(1));
  return view;
}

test('[LAUNCH-44] while the start is not answered the outcome shows waiting', async () => {
  let answer: (value: unknown) => void = () => undefined;
  const body = { launch_id: 'l', tasks: [buildAdminTask({ name: 'run-7' })] };
  const view = await start(launchApi().on(LAUNCH, () => new Promise((resolve) => (answer = resolve))));
  expect(await screen.findByRole('heading', { level: 2, name: 'Launching the analysis' })).toBeVisible();
  expect(screen.getByText(/The server has not responded yet/)).toBeVisible();
  expect(screen.queryByRole('link', { name: 'Go to the results' })).toBeNull();
  await act(async () => answer(body));
  expect(await screen.findByRole('heading', { level: 2, name: 'run-7 was launched' })).toBeVisible();
  expect(screen.queryByText('Launching the analysis')).toBeNull();
  expect(view.api.called(LAUNCH)).toHaveLength(1);
});

test('[LAUNCH-45] the outcome leads to the results', async () => {
  const view = await start();
  expect(await screen.findByRole('heading', { level: 2, name: 'run-7 was launched' })).toBeVisible();
  expect(await violations()).toEqual([]);
  await view.user.click(screen.getByRole('link', { name: 'Go to the results' }));
  await waitFor(() => expect(view.at()).toBe(`/secondary-analysis/tasks/${buildAdminTask().id}?group=${GROUP_A}`));
});

test('[LAUNCH-45] Start another analysis opens an empty wizard, whose launch has a key of its own', async () => {
  const view = await start();
  await view.user.click(await screen.findByRole('button', { name: 'Start another analysis' }));
  expect(await screen.findByRole('button', { name: 'Panel: Choose a panel' })).toBeVisible();
  expect(view.at()).toBe(`/secondary-analysis/launch/start-from?group=${GROUP_A}`);
  await act(() => view.router.navigate(PREVIEW));
  await screen.findByText('Lung panel (lung)');
  await view.user.click(screen.getByRole('button', { name: 'Start analysis' }));
  await waitFor(() => expect(view.api.called(LAUNCH)).toHaveLength(2));
  const [first, second] = view.api.called(LAUNCH).map(({ headers }) => headers.get('Idempotency-Key'));
  expect(first).not.toBe(second);
});

test('a wizard that has launched is empty at the next visit', async () => {
  const view = await start();
  await view.user.click(await screen.findByRole('link', { name: 'Go to the results' }));
  await waitFor(() => expect(view.at()).toContain('/secondary-analysis/tasks/'));
  await act(() => view.router.navigate('/secondary-analysis/launch'));
  expect(await screen.findByRole('button', { name: 'Panel: Choose a panel' })).toBeVisible();
});

test('the last step of an empty wizard launches nothing and leads to the first step', async () => {
  const view = await renderApp('/secondary-analysis/launch/start', { api: launchApi() });
  expect(await screen.findByRole('button', { name: 'Panel: Choose a panel' })).toBeVisible();
  expect(view.api.called(LAUNCH)).toEqual([]);
});

test('[LAUNCH-43] [LAUNCH-45] a refused start shows the failure with its reason, and Launch again sends the same launch', async () => {
  const api = launchApi();
  const answers = [recordedError('open_tasks_exceeded')];
  api.on(LAUNCH, () => answers.shift() ?? { launch_id: 'l', tasks: [buildAdminTask({ name: 'run-7' })] });
  const view = await start(api);
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('The launch failed');
  expect(alert).toHaveTextContent('Your group has 2 open tasks (limit 1), so 1 more cannot be launched.');
  expect(alert).toHaveTextContent('7F3K-2Q9D');
  expect(screen.queryByRole('link', { name: 'Go to the results' })).toBeNull();
  expect(await violations()).toEqual([]);
  await view.user.click(screen.getByRole('button', { name: 'Launch again' }));
  expect(await screen.findByRole('heading', { level: 2, name: 'run-7 was launched' })).toBeVisible();
  const [first, second] = api.called(LAUNCH);
  expect(second?.body).toEqual(first?.body);
  expect(second?.headers.get('Idempotency-Key')).toBe(first?.headers.get('Idempotency-Key'));
  expect(first?.body).toMatchObject({
    name: 'run-7',
    project: PROJECT.id,
    panel: PANEL,
    pairs: buildDefinition().pairs,
  });
});

test('[LAUNCH-43] a start that breaks rules shows each of them', async () => {
  await start(launchApi().on(LAUNCH, () => recordedError('run_name_characters')));
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('A run name may have letters, numbers, dashes and underscores only.');
  expect(alert).toHaveTextContent('The sample name has existed!');
});

test('[LAUNCH-43] a failed start leads back to the preview, which keeps the run', async () => {
  const view = await start(launchApi().on(LAUNCH, () => recordedError('internal_error')));
  expect(await screen.findByRole('alert')).toHaveTextContent('500 Internal Server Error');
  await view.user.click(screen.getByRole('link', { name: 'Back to the preview' }));
  expect(await screen.findByRole('textbox', { name: /^Run name/ })).toHaveValue('run-7');
});
