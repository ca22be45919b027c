import { screen, within } from '@testing-library/react';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { buildSummary, buildTask } from '../../../test/tasks.ts';
import type { TaskQc } from '../../queries/results.ts';

const TASK = '/api/v1/pivat/*/tasks/*';
const task = buildTask({
  samples: { total: 3, done: 3, running: 0, failed: 0, incomplete: 0 },
  qc: { pass: 1, warn: 1, fail: 1 },
});
const share = { value: 0.874, numerator: 874, denominator: 1_000 };
const depth = (value: number) => ({ value, numerator: null, denominator: null });
const ofDepth = { metric: 'mean_depth', operator: '>=', limit: 200, source: 'preset' as const };
const row = { qc_type: 'Sample', role: 'germline' };
const qc: TaskQc = {
  ready: true,
  skipped: false,
  metrics: ['mean_depth', 'on_target_fraction'],
  samples: [
    {
      ...row,
      sample: 'S1',
      status: 'pass',
      metrics: { mean_depth: depth(1_250), on_target_fraction: share },
      verdicts: [{ ...ofDepth, value: 1_250, verdict: 'pass' }],
    },
    {
      ...row,
      sample: 'S2',
      status: 'fail',
      metrics: { mean_depth: depth(84), on_target_fraction: depth(0) },
      verdicts: [{ ...ofDepth, value: 84, verdict: 'fail' }],
    },
    {
      sample: 'N1',
      qc_type: 'NTC',
      role: 'control',
      status: 'warn',
      metrics: {},
      verdicts: [
        { metric: 'ntc_max_fragments', operator: '<=', limit: 10, value: 12, source: 'panel', verdict: 'warn' },
      ],
    },
  ],
  controls: null,
};

test('[RESULT-03] the QC tab shows the metrics of each sample, its verdict and the broken limit of its preset', async () => {
  const api = fakeApi()
    .on(`GET ${TASK}`, task)
    .on(`GET ${TASK}/summary`, buildSummary())
    .on(`GET ${TASK}/samples`, { results: [] })
    .on(`GET ${TASK}/qc`, qc);
  await renderApp(`/secondary-analysis/tasks/${task.id}?tab=qc`, { api });
  const table = within(await screen.findByRole('grid', { name: 'QC of the samples' }));
  // A sample with a warning passes.
  expect(screen.getByRole('heading', { level: 2, name: '2 of 3 samples pass QC.' })).toBeVisible();
  const headers = table.getAllByRole('columnheader').map((header) => header.textContent);
  expect(headers).toEqual(['Sample', 'Type', 'Status', 'Why', 'On target', 'Mean depth (×)']);
  const cells = table
    .getAllByRole('rowheader')
    .map((header) => [...header.parentElement!.children].map((cell) => cell.textContent?.trim()));
  // The worst sample comes first.
  expect(cells).toEqual([
    ['S2', 'germline', 'Fail', 'Mean depth (×) 84 (>= 200)', '0.0 %', '84 Fail'],
    ['N1', 'NTC', 'Warning', 'NTC fragments (max. per amplicon) 12 (<= 10)', '–', '–'],
    ['S1', 'germline', 'Pass', '–', '87.4 %', '1,250'],
  ]);
  expect(table.getByText('84').title).toBe('limit 200 (parameters file)');
  expect(table.getByText('87.4 %').title).toBe('874 / 1,000');
  const control = screen.getByRole('heading', { level: 3, name: 'NTC · N1' }).closest('.pf-v6-c-card') as HTMLElement;
  expect(control).toHaveTextContent('NTC fragments (max. per amplicon) 12 (<= 10)');
  expect(await violations()).toEqual([]);
});
