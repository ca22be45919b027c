import { screen, waitFor, within } from '@testing-library/react';
import { GROUP_A } from '../../../test/profiles.ts';
import { recordedError, recordedRerunCheck } from '../../../test/recorded/recorded.ts';
import { fakeApi, type RenderOptions, renderApp, violations } from '../../../test/render-app.tsx';
import { buildTask } from '../../../test/tasks.ts';

const RERUN = '/api/v1/pivat/*/task-rerun/*';
const task = buildTask({ name: 'run-1' });
const EDIT = `/secondary-analysis/launch/edit-definition?from=${task.id}&group=${GROUP_A}`;
type Change = Parameters<typeof recordedRerunCheck>[0];

/** The list of one task, whose rerun is answered as after that change. */
const rerunApi = (change: Change) =>
  fakeApi()
    .on('GET /api/v1/pivat/*/tasks', { count: 1, results: [task] })
    .on('GET /api/v1/pivat/*/tasks/*', buildTask({ name: 'new' }))
    .on(`GET ${RERUN}`, recordedRerunCheck(change))
    .on(`POST ${RERUN}`, { launch_id: task.id, tasks: [buildTask({ id: '99999999-9999-4999-8999-999999999999' })] });

async function openDialog(api: ReturnType<typeof rerunApi>, options: RenderOptions = {}) {
  const view = await renderApp('/secondary-analysis/tasks', { api, ...options });
  await view.user.click(await screen.findByRole('button', { name: /^(Rerun|重新运行).*run-1/ }));
  const dialog = within(await screen.findByRole('dialog'));
  await dialog.findByRole('link');
  return { view, dialog };
}

test.each([
  ['[ERR-27]', 'preset_deleted', 'The parameters file of this task was deleted.'],
  ['[ERR-29]', 'panel_not_active', 'The panel of this task is no longer active.'],
  ['[ERR-30]', 'panel_type_changed', 'The panel type used in the task does not exist or was updated.'],
  ['', 'launch_file_unknown', 'S1_R1.fastq is not in the project.'],
] as const)('%s a rerun refused for %s says so and offers the definition alone', async (_row, change, text) => {
  const { view, dialog } = await openDialog(rerunApi(change));
  expect(dialog.getByText(text)).toBeVisible();
  expect(dialog.queryByRole('button', { name: /^Rerun/ })).toBeNull();
  expect(dialog.getByRole('link', { name: 'Edit the definition' })).toHaveAttribute('href', EDIT);
  expect(view.api.called(`POST ${RERUN}`)).toEqual([]);
  expect(await violations()).toEqual([]);
});

test('[ERR-28] [TASK-16] an updated preset is a warning: rerun with the old version or edit the definition', async () => {
  const { view, dialog } = await openDialog(rerunApi('preset_updated'));
  expect(dialog.getByText(/^The parameters file of this task was updated\./)).toBeVisible();
  expect(dialog.getByRole('link', { name: 'Edit the definition' })).toHaveAttribute('href', EDIT);
  expect(dialog.queryByRole('button', { name: 'Rerun' })).toBeNull();
  await view.user.click(dialog.getByRole('button', { name: 'Rerun with the old version' }));
  await waitFor(() =>
    expect(view.at()).toBe(`/secondary-analysis/tasks/99999999-9999-4999-8999-999999999999?group=${GROUP_A}`),
  );
  expect(view.api.called(`POST ${RERUN}`).map(({ body }) => body)).toEqual([{ use_old_version: true }]);
});

test('an unchanged task is rerun once, also when the answer is lost and asked for again', async () => {
  let isLost = true;
  const api = rerunApi('unchanged').on(`POST ${RERUN}`, () => {
    if (!isLost) return { launch_id: task.id, tasks: [task] };
    isLost = false;
    throw new TypeError('connection reset');
  });
  const { view, dialog } = await openDialog(api);
  expect(dialog.getByText(/^A new task starts with the settings of this one\./)).toBeVisible();
  await view.user.click(dialog.getByRole('button', { name: 'Rerun' }));
  await waitFor(() => expect(view.at()).toBe(`/secondary-analysis/tasks/${task.id}?group=${GROUP_A}`));
  const calls = api.called(`POST ${RERUN}`);
  expect(calls.map(({ body }) => body)).toEqual([{}, {}]);
  expect(new Set(calls.map(({ headers }) => headers.get('Idempotency-Key'))).size).toBe(1);
  expect(calls[0]?.headers.get('Idempotency-Key')).toMatch(/^[0-9a-f-]{36}$/);
});

test('[ERR-27] a preset that is deleted while the dialog is open is named by it', async () => {
  const api = rerunApi('unchanged').on(`POST ${RERUN}`, recordedError('preset_deleted'));
  const { view, dialog } = await openDialog(api);
  await view.user.click(dialog.getByRole('button', { name: 'Rerun' }));
  expect(await dialog.findByText('The parameters file of this task was deleted.')).toBeVisible();
});

test('a change whose text names a pipeline is shown with its name, in Chinese too', async () => {
  const english = await openDialog(rerunApi('pipeline_changed'));
  expect(english.dialog.getByText('The pipeline panel-1.0.0 is no longer the active one.')).toBeVisible();
  english.view.unmount();
  const chinese = await openDialog(rerunApi('pipeline_changed'), { language: 'zh' });
  expect(chinese.dialog.getByText(/panel-1\.0\.0/)).toBeVisible();
});
