import { screen, waitFor, within } from '@testing-library/react';
import { GROUP_A } from '../../../test/profiles.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { buildSummary, buildTask } from '../../../test/tasks.ts';

const TASK = '/api/v1/pivat/*/tasks/*';
/** One of two samples failed. The counts of the summary are older than those of the task. */
const partly = buildTask({
  samples: { total: 2, done: 1, running: 0, failed: 1, incomplete: 1 },
  qc: { pass: 1, warn: 0, fail: 0 },
});
const summary = buildSummary({
  samples: { total: 2, done: 0, failed: 1 },
  qc: { ready: true, pass: 1, warn: 0, fail: 0 },
  attention: [
    {
      level: 'danger',
      code: 'sample_failed',
      params: { sample: 'S2', reason: 'line 44: no quality' },
      message: '',
      sample: 'S2',
      tab: null,
    },
  ],
  pairs: [
    {
      name: 'P1',
      tumor: 'T 1',
      normal: 'N1',
      kept: 3,
      tumor_depth: 1_250.4,
      normal_depth: 812,
      concordance: 0.987,
      sites: 24,
    },
    { name: 'P2', tumor: 'T2', normal: 'N2' },
  ],
});
const qc = { ready: true, skipped: false, metrics: [], samples: [], controls: null };

const taskApi = () =>
  fakeApi()
    .on(`GET ${TASK}`, partly)
    .on(`GET ${TASK}/summary`, summary)
    .on(`GET ${TASK}/samples`, { count: 0, results: [] })
    .on(`GET ${TASK}/qc`, qc);
const path = `/secondary-analysis/tasks/${partly.id}`;

test('a task that completed with a failed sample shows it, with its reason and log', async () => {
  await renderApp(path, { api: taskApi() });
  expect(await screen.findByText('Completed, 1 of 2 failed')).toBeVisible();
  expect(await screen.findByText(/Sample S2 failed: line 44: no quality/)).toBeVisible();
  expect(screen.getByRole('link', { name: 'Open the log' })).toHaveAttribute(
    'href',
    `${path}/logfile?sample=S2&group=${GROUP_A}`,
  );
  expect(await violations()).toEqual([]);
});

test('[RESULT-09] the summary shows the tumor-normal pairs of the run with their depths and whether they match', async () => {
  await renderApp(path, { api: taskApi() });
  const table = within(await screen.findByRole('grid', { name: 'Pairs' }));
  const rows = table.getAllByRole('row').map((row) => [...row.children].map(({ textContent }) => textContent));
  expect(rows).toEqual([
    ['Pair', 'Tumor', 'Normal', 'Variants kept', 'Tumor depth', 'Normal depth', 'Same individual'],
    ['P1', 'T 1', 'N1', '3', '1,250 ×', '812 ×', '98.7 % of 24 sites'],
    ['P2', 'T2', 'N2', '–', '–', '–', '–'],
  ]);
});

test('[ERR-66] IGV of a sample without BAM says that the file was not found', async () => {
  const api = taskApi().on(`GET ${TASK}/igv`, recordedError('bam_not_found'));
  await renderApp(`${path}?tab=igv&sample=S1`, { api });
  expect(await screen.findByText('BAM file not found so IGV cannot be generated.')).toBeVisible();
  expect(api.called(`GET ${TASK}/igv`)[0]?.query.get('sample')).toBe('S1');
});

test('the row of a pair links to the variants of its tumor', async () => {
  await renderApp(path, { api: taskApi() });
  expect(await screen.findByRole('link', { name: 'P1' })).toHaveAttribute(
    'href',
    `${path}?tab=variants&sample=T%201&group=${GROUP_A}`,
  );
});

test('summary and QC count passing samples the same way, out of all samples of the task', async () => {
  const view = await renderApp(path, { api: taskApi() });
  expect(await screen.findByRole('heading', { level: 2, name: /^1 of 2 samples pass QC\./ })).toBeVisible();
  await view.user.click(screen.getByRole('tab', { name: 'QC' }));
  expect(await screen.findByRole('heading', { level: 2, name: '1 of 2 samples pass QC.' })).toBeVisible();
});

test('a control without a QC verdict is not counted among the samples that pass or fail', async () => {
  const task = buildTask({
    samples: { total: 96, done: 96, running: 0, failed: 0, incomplete: 0 },
    qc: { pass: 95, warn: 0, fail: 0 },
  });
  const api = taskApi().on(`GET ${TASK}`, task);
  const view = await renderApp(path, { api });
  const text = /^95 of 95 samples pass QC\. 1 sample is not assessed\./;
  expect(await screen.findByRole('heading', { level: 2, name: text })).toBeVisible();
  await view.user.click(screen.getByRole('tab', { name: 'QC' }));
  expect(await screen.findByRole('heading', { level: 2, name: text })).toBeVisible();
});

test('a result tab has a header of one line, without breadcrumb and facts', async () => {
  await renderApp(`${path}?tab=qc`, { api: taskApi() });
  const main = await screen.findByRole('main');
  await waitFor(() => expect(within(main).getByRole('heading', { level: 1 })).toHaveTextContent('run-1'));
  expect(screen.queryByRole('navigation', { name: 'Breadcrumb' })).toBeNull();
  expect(screen.queryByText('Parameters file')).toBeNull();
  expect(within(main).getByRole('link', { name: 'Tasks ›' })).toHaveAttribute(
    'href',
    `/secondary-analysis/tasks?group=${GROUP_A}`,
  );
});
