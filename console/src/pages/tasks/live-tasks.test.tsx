import { screen, within } from '@testing-library/react';
import { sendEvent } from '../../../test/fake-socket.ts';
import { GROUP_A } from '../../../test/profiles.ts';
import { fakeApi, renderApp } from '../../../test/render-app.tsx';
import { buildSummary, buildTask } from '../../../test/tasks.ts';

const TASK = '/api/v1/pivat/*/tasks/*';
const before = buildTask({ name: 'run-1', status: 'running', stage: 'secondary', stage_number: 1, can_abort: true });
const after = buildTask({ name: 'run-1', status: 'running', stage: 'qc', stage_number: 4, can_abort: true });
const ended = buildTask({ name: 'run-1' });
const event = { type: 'task', task: before.id, group: GROUP_A };

test('[TASK-05] the open list shows a change of stage and of status when the websocket reports it', async () => {
  let current = before;
  const api = fakeApi().on('GET /api/v1/pivat/*/tasks', () => ({ count: 1, results: [current] }));
  await renderApp('/secondary-analysis/tasks', { api });
  const row = (await screen.findByRole('link', { name: 'run-1' })).closest('tr') as HTMLElement;
  expect(within(row).getByText('Secondary analysis pipeline')).toBeVisible();
  current = after;
  await sendEvent(event);
  expect(await within(row).findByText('QC')).toBeVisible();
  expect(row).toHaveTextContent('4 of 5');
  current = ended;
  await sendEvent(event);
  expect(await within(row).findByText('Completed')).toBeVisible();
});

test('[TASK-05] the open detail page shows a change of stage and of status when the websocket reports it', async () => {
  let current = before;
  const api = fakeApi()
    .on(`GET ${TASK}`, () => current)
    .on(`GET ${TASK}/summary`, buildSummary())
    .on(`GET ${TASK}/samples`, { results: [] });
  await renderApp(`/secondary-analysis/tasks/${before.id}`, { api });
  expect(await screen.findByText('Secondary analysis pipeline (1 of 5)')).toBeVisible();
  current = after;
  await sendEvent(event);
  expect(await screen.findByText('QC (4 of 5)')).toBeVisible();
  current = ended;
  await sendEvent(event);
  expect(await screen.findByText('Report generation (5 of 5)')).toBeVisible();
  expect(screen.getAllByText('Completed').length).toBeGreaterThan(0);
});
