import { screen, waitFor, within } from '@testing-library/react';
import type { FakeApi } from '../../../test/fake-api.ts';
import { GROUP_A } from '../../../test/profiles.ts';
import { buildFile, buildProject } from '../../../test/projects.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import type { ProjectFile } from '../../queries/projects.ts';
import { withPartners } from './files-table-definition.ts';

const PROJECT = buildProject();
const PATH = `/tools/projects/${PROJECT.id}`;
const FILES = '/api/v1/pivat/*/projects/*/filelist';
const R1 = buildFile('S1_S1_L001_R1_001.fastq.gz', { id: '66666666-6666-4666-8666-000000000001' });
const R2 = buildFile('S1_S1_L001_R2_001.fastq.gz', { id: '66666666-6666-4666-8666-000000000002' });
const BAI = buildFile('t.bam.bai', { id: '66666666-6666-4666-8666-000000000003', type: 'bai', size: 1500 });

function projectApi(files: ProjectFile[]): FakeApi {
  return fakeApi()
    .on('GET /api/v1/pivat/*/projects/*', PROJECT)
    .on(`GET ${FILES}`, () => ({ count: files.length, results: files }))
    .on(`POST ${FILES}/*/delete`, ({ path }) => {
      files.splice(
        files.findIndex(({ id }) => path.includes(id)),
        1,
      );
      return null;
    });
}
const names = () => screen.getAllByRole('rowheader').map((cell) => cell.textContent);

test('[PROJ-06] [UPLOAD-06] the files are listed with type, name and size, partners next to each other', async () => {
  await renderApp(PATH, { api: projectApi([R2, BAI, R1]) });
  const row = (await screen.findByRole('rowheader', { name: R1.name })).closest('tr') as HTMLElement;
  expect(within(row).getByText('FASTQ')).toBeVisible();
  expect(within(row).getByText('39.3 MB')).toBeVisible();
  expect(within(row).getByText(R2.name)).toBeVisible();
  expect(names()).toEqual([R1.name, R2.name, BAI.name]);
  const lone = screen.getByRole('rowheader', { name: BAI.name }).closest('tr') as HTMLElement;
  expect(within(lone).getByText('Partner missing')).toBeVisible();
  expect(await violations()).toEqual([]);
});

test('[PROJ-07] selected files are deleted after a confirmation that lists them', async () => {
  const view = await renderApp(PATH, { api: projectApi([R1, R2, BAI]) });
  const boxes = await screen.findAllByRole('checkbox');
  await view.user.click(boxes[1] as HTMLElement);
  await view.user.click(boxes[2] as HTMLElement);
  await view.user.click(screen.getByRole('button', { name: 'Delete selected' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(R1.name)).toBeVisible();
  await view.user.click(dialog.getByRole('button', { name: 'Delete 2 files' }));
  await waitFor(() => expect(names()).toEqual([BAI.name]));
});

test('selected files open in the launch wizard, except files that are not sample data', async () => {
  const sheet = buildFile('run.csv', { id: '66666666-6666-4666-8666-000000000004', type: 'samplesheet' });
  const view = await renderApp(PATH, { api: projectApi([R1, R2, sheet]) });
  const button = await screen.findByRole('button', { name: 'Launch selected files' });
  expect(button).toHaveAttribute('aria-disabled', 'true');
  for (const box of (await screen.findAllByRole('checkbox')).slice(1)) await view.user.click(box);
  await view.user.click(button);
  await waitFor(() => expect(view.at()).toBe(`/secondary-analysis/launch/start-from?group=${GROUP_A}`));
  const [draft] = Object.entries(window.sessionStorage).filter(([key]) => key.startsWith('seqpanel.launch.'));
  expect(JSON.parse(draft![1])).toMatchObject({
    project: PROJECT.id,
    samples: [{ name: 'S1', files: [{ name: R1.name }, { name: R2.name }] }],
  });
});

test('[ERR-55] a file that a running task reads is not deleted, and the dialog shows the reason', async () => {
  const api = projectApi([R1]).on(`POST ${FILES}/*/delete`, recordedError('file_in_use'));
  const view = await renderApp(PATH, { api });
  await view.user.click(await screen.findByRole('button', { name: `Actions for ${R1.name}` }));
  await view.user.click(await screen.findByRole('menuitem', { name: 'Delete file' }));
  const dialog = within(await screen.findByRole('dialog'));
  await view.user.click(dialog.getByRole('button', { name: 'Delete 1 file' }));
  expect(await dialog.findByText(/A running task uses/)).toBeVisible();
  await view.user.click(dialog.getByRole('button', { name: 'Cancel' }));
  expect(names()).toEqual([R1.name]);
});

test('the filters are in the address and shown as chips', async () => {
  const view = await renderApp(`${PATH}?type=bai&type=nonsense`, { api: projectApi([R1, R2, BAI]) });
  await screen.findByRole('rowheader', { name: BAI.name });
  expect(names()).toEqual([BAI.name]);
  expect(view.at()).toBe(`${PATH}?type=bai`);
  await view.user.click(screen.getByRole('button', { name: 'Close BAM index' }));
  await waitFor(() => expect(names()).toHaveLength(3));
  expect(view.at()).toBe(PATH);
});

test('a missing project shows an error with the id to quote', async () => {
  const api = projectApi([]).on('GET /api/v1/pivat/*/projects/*', recordedError('not_found'));
  await renderApp(PATH, { api });
  expect(await screen.findByText('The project could not be loaded.')).toBeVisible();
  expect(screen.getByText('Not found.')).toBeVisible();
});

test('a lone R1 is a single-end run; a lone R2 has no partner', () => {
  const missing = (files: ProjectFile[]) => withPartners(files).filter((row) => row.isPartnerMissing).length;
  expect([missing([R1]), missing([R2]), missing([R1, R2])]).toEqual([0, 1, 0]);
});
