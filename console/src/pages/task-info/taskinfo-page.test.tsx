import { screen, within } from '@testing-library/react';
import { factsOnPage } from '../../../test/facts.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { buildTask } from '../../../test/tasks.ts';
import type { TaskInfo } from '../../queries/tasks.ts';

const sample = {
  library_id: 'L1',
  cnv_normal: false,
  well: null,
  i7: null,
  i5: null,
  files: ['S1_R1.fastq.gz', 'S1_R2.fastq.gz'],
  state: 'done' as const,
  failure: null,
  metrics_ready: true,
  variants_ready: true,
  variants_kept: 1,
  qc: 'pass' as const,
};
const info: TaskInfo = {
  task: buildTask({
    status: 'failed',
    celery_id: '99999999-9999-4999-8999-999999999999',
    email: ['mei@lab.example'],
    notes: 'Repeat with more DNA',
    args: { requestedBy: 'mei', priority: 5 },
    stderr: 'S2: truncated gzip file',
    folder_name: 'run-1-folder',
    output: 'tasks/run-1-folder',
    output_final: 'tasks/run-1-final',
    samples: { total: 3, done: 1, running: 0, failed: 1, incomplete: 2 },
    autodelete: true,
    autodelete_date: '2027-01-01T00:00:00.000Z',
  }),
  samples: [
    { ...sample, index: 0, name: 'S1', qc_type: 'Sample', role: 'tumor', tumor_content: 40, pair: 'P1' },
    { ...sample, index: 1, name: 'N1', qc_type: 'NTC', role: 'control', tumor_content: null, pair: null },
  ],
  input_files: [
    { sample: 'S1', name: 'S1_R1.fastq.gz', read: 'R1', size: 41_200_000, sha256: 'ab12'.repeat(16) },
    { sample: 'S1', name: 'S1_R2.fastq.gz', read: 'R2', size: null, sha256: null },
  ],
  preset: { name: 'strict', copyGain: 1.4 },
  panel: { value: 'lung_1', chemistry: 'amplicon' },
  annotation: { sources: [{ name: 'ClinVar' }] },
  sha256: {},
};

async function openInfo() {
  const api = fakeApi().on('GET /api/v1/pivat/*/tasks/*/taskinfo', info);
  const view = await renderApp(`/secondary-analysis/tasks/${info.task.id}/taskinfo`, { api });
  await screen.findByRole('heading', { level: 2, name: 'Definition' });
  return view;
}

test('[TASK-07] task info shows folders, files, notes, resource, sample counts, deletion date, spec and error output', async () => {
  const view = await openInfo();
  expect(factsOnPage()).toMatchObject({
    'Celery ID (resource UID)': '99999999-9999-4999-8999-999999999999 ',
    'Notification emails': 'mei@lab.example',
    Samples: '3 total, 2 incomplete',
    'Folder name': 'run-1-folder',
    Output: 'tasks/run-1-folder',
    'Output copy': '–',
    'Output final': 'tasks/run-1-final',
    'Input files': '4',
    Autodelete: 'yes',
    'Autodelete date': '2027-01-01 00:00:00',
    Notes: 'Repeat with more DNA',
  });
  await view.user.click(screen.getByRole('button', { name: 'Arguments (spec of the resource)' }));
  expect(screen.getByText(/"priority": 5/)).toBeVisible();
  await view.user.click(screen.getByRole('button', { name: 'Standard error' }));
  expect(screen.getByText('S2: truncated gzip file')).toBeVisible();
});

test('[TASK-10] task info shows the panel, pipeline, parameters, samples and input files of the launch', async () => {
  const view = await openInfo();
  expect(factsOnPage()).toMatchObject({
    Panel: 'Panel (panel)',
    Pipeline: 'panel',
    'Parameters file': 'default@1',
    Project: 'p1',
    Source: 'FASTQ files',
  });
  const cellsOf = async (button: string, table: string) => {
    await view.user.click(screen.getByRole('button', { name: button }));
    const rows = within(screen.getByRole('grid', { name: table })).getAllByRole('row');
    return rows.map((row) => [...row.children].map(({ textContent }) => textContent));
  };
  expect(await cellsOf('Samples (2)', 'Samples')).toEqual([
    ['Sample', 'Library ID', 'Type', 'Tumor content', 'Pair', 'Files'],
    ['S1', 'L1', 'tumor', '40 %', 'P1', '2'],
    ['N1', 'L1', 'NTC', '–', '–', '2'],
  ]);
  expect(await cellsOf('Input files (2)', 'Input files')).toEqual([
    ['Sample', 'File', 'Size', 'SHA-256'],
    ['S1', 'S1_R1.fastq.gz', '39.3 MB', 'ab12ab12ab12ab12'],
    ['S1', 'S1_R2.fastq.gz', '–', '–'],
  ]);
  await view.user.click(screen.getByRole('button', { name: 'Parameters file (frozen copy)' }));
  expect(screen.getByText(/"copyGain": 1.4/)).toBeVisible();
  await view.user.click(screen.getByRole('button', { name: 'Panel file (frozen copy)' }));
  expect(screen.getByText(/"chemistry": "amplicon"/)).toBeVisible();
  expect(await violations()).toEqual([]);
});
