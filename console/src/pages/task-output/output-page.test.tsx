import { screen, waitFor, within } from '@testing-library/react';
import { GROUP_A } from '../../../test/profiles.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { buildTask } from '../../../test/tasks.ts';
import type { OutputFile } from '../../queries/tasks.ts';

const TASK = '/api/v1/pivat/*/tasks/*';
const task = buildTask();
const path = `/secondary-analysis/tasks/${task.id}/output`;
const file = (change: Partial<OutputFile>): OutputFile => ({
  path: 'report/manifest.tsv',
  name: 'manifest.tsv',
  type: 'tsv',
  sample: null,
  size: 2_048,
  modified: '2026-11-01T08:01:00.000Z',
  sha256: null,
  meaning: 'report_manifest_tsv',
  ...change,
});
const bam = file({
  path: 'samples/S1/reads/reads.bam',
  name: 'reads.bam',
  type: 'bam',
  sample: 'S1',
  size: 41_200_000,
  meaning: 'reads_reads_bam',
});
const outputApi = () =>
  fakeApi()
    .on(`GET ${TASK}`, task)
    .on(`GET ${TASK}/output`, { total_size: 41_202_048, deleted: false, results: [file({}), bam] })
    .on(
      `GET ${TASK}/output/file`,
      () => new Response('BAM', { headers: { 'Content-Type': 'application/octet-stream' } }),
    );

/** Names and contents that the page hands to the browser. */
function watchDownloads(): { name: string; size: number }[] {
  const saved: { name: string; size: number }[] = [];
  let size = 0;
  URL.createObjectURL = (blob) => {
    size = (blob as Blob).size;
    return 'blob:file';
  };
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, size });
  });
  return saved;
}

test('[TASK-11] the output lists the result files and downloads each of them', async () => {
  const saved = watchDownloads();
  const view = await renderApp(path, { api: outputApi() });
  const table = within(await screen.findByRole('grid', { name: 'Output' }));
  await table.findByText('samples/S1/reads/reads.bam');
  const rows = table
    .getAllByRole('rowheader')
    .map((header) => [...header.parentElement!.children].map((cell) => cell.textContent));
  expect(rows).toEqual([
    ['report/manifest.tsv', 'List of every file', 'tsv', '–', '2.0 KB', 'Download'],
    ['samples/S1/reads/reads.bam', 'All reads, primers soft-clipped', 'bam', 'S1', '39.3 MB', 'Download'],
  ]);
  expect(screen.getByText('2 files, 39.3 MB')).toBeVisible();
  for (const name of ['reads.bam', 'manifest.tsv'])
    await view.user.click(table.getByRole('button', { name: `Download ${name}` }));
  await waitFor(() =>
    expect(saved).toEqual([
      { name: 'reads.bam', size: 3 },
      { name: 'manifest.tsv', size: 3 },
    ]),
  );
  const calls = view.api.called(`GET ${TASK}/output/file`);
  expect(calls.map(({ query }) => query.get('path'))).toEqual(['samples/S1/reads/reads.bam', 'report/manifest.tsv']);
  expect(calls[0]?.path).toBe(`/api/v1/pivat/${GROUP_A}/tasks/${task.id}/output/file`);
  expect(await violations()).toEqual([]);
});

test.each([
  ['output_not_found', 'This file does not exist.'],
  ['internal_error', '500 Internal Server Error'],
] as const)('[ERR-73] a download that is answered with %s says that its preparation failed', async (code, text) => {
  const saved = watchDownloads();
  const api = outputApi().on(`GET ${TASK}/output/file`, recordedError(code));
  const view = await renderApp(path, { api });
  await view.user.click(await screen.findByRole('button', { name: 'Download reads.bam' }));
  const alert = (await screen.findByText(/Download preparation failed\./)).closest('.pf-v6-c-alert') as HTMLElement;
  expect(alert).toHaveTextContent(text);
  expect(alert).toHaveTextContent('7F3K-2Q9D');
  expect(saved).toEqual([]);
});
