import { screen, waitFor } from '@testing-library/react';
import { fakeApi, renderPart } from '../../test/render-app.tsx';
import type { Job } from '../queries/jobs.ts';
import { JobProgress } from './job-progress.tsx';

const GROUP = '99999999-9999-4999-8999-999999999999';
const JOB: Job = {
  id: '88888888-8888-4888-8888-888888888888',
  kind: 'delete-results',
  group: GROUP,
  subject: null,
  user: 'ada',
  state: 'running',
  done: 25,
  total: 100,
  result: null,
  error: null,
  created: '2026-11-22T10:00:00.000Z',
  finished: null,
};
const show = (job: Partial<Job>) => {
  const api = fakeApi()
    .on(`GET /api/v1/pivat/${GROUP}/jobs/*`, { ...JOB, ...job })
    .on(`POST /api/v1/pivat/${GROUP}/jobs/*/cancel`, { ...JOB, state: 'canceled' });
  return renderPart(<JobProgress group={GROUP} id={JOB.id} title="Deleting the results" />, { api });
};

test('a running job shows its share and can be stopped', async () => {
  const { user, api } = await show({});
  const bar = await screen.findByRole('progressbar', { name: /Deleting the results/ });
  await waitFor(() => expect(bar).toHaveAttribute('aria-valuenow', '25'));
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(api.called(`POST /api/v1/pivat/${GROUP}/jobs/*/cancel`)).toHaveLength(1);
});

test('a failed job says why', async () => {
  await show({ state: 'failed', error: 'The folder is gone.' });
  expect(await screen.findByText('The folder is gone.')).toBeVisible();
});

test('a completed job says so', async () => {
  await show({ state: 'completed', done: 100 });
  expect(await screen.findByText('Deleting the results: completed')).toBeVisible();
});
