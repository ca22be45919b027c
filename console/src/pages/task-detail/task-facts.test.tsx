import { screen } from '@testing-library/react';
import { factsOnPage } from '../../../test/facts.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { buildSummary, buildTask } from '../../../test/tasks.ts';

const TASK = '/api/v1/pivat/*/tasks/*';

test('[TASK-06] the page of a task shows its name, status, stage, definition, dates, duration and emails', async () => {
  const task = buildTask({
    name: 'run-7',
    status: 'failed',
    stage: 'annotation',
    stage_number: 2,
    panel: { id: null, name: 'Lung panel', value: 'lung_1', synthetic: false },
    preset: { id: null, name: 'strict', version: 3 },
    pipeline: { name: 'panel-1.0.0', version: '1.0.0' },
    source: 'bam',
    project: { id: null, name: 'lung_study' },
    duration_seconds: 3_849,
    email: ['mei@lab.example', 'kim@lab.example'],
    input_files: 6,
    genome: 'GRCh37',
  });
  const api = fakeApi()
    .on(`GET ${TASK}`, task)
    .on(`GET ${TASK}/summary`, buildSummary())
    .on(`GET ${TASK}/samples`, { results: [] });
  const view = await renderApp(`/secondary-analysis/tasks/${task.id}`, { api });
  expect(await screen.findByRole('heading', { level: 1, name: /run-7/ })).toBeVisible();
  expect(screen.getAllByText('Failed').length).toBeGreaterThan(0);
  await view.user.click(screen.getByRole('button', { name: 'Details' }));
  expect(factsOnPage()).toEqual({
    Stage: 'Functional annotation (2 of 5)',
    Panel: 'Lung panel (lung_1) ',
    'Parameters file': 'strict@3',
    Pipeline: 'panel-1.0.0',
    User: 'mei',
    Duration: '1 h 04 min',
    ID: task.id,
    Created: '2026-11-01 08:00:00',
    Completed: '2026-11-01 08:01:00',
    Genome: 'GRCh37',
    Source: 'BAM files',
    Project: 'lung_study',
    'Input files': '6',
    'Notification emails': 'mei@lab.example, kim@lab.example',
  });
  expect(await violations()).toEqual([]);
});
