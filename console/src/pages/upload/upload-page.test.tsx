import { act, screen, within } from '@testing-library/react';
import type { FakeApi } from '../../../test/fake-api.ts';
import { buildFile, buildProject } from '../../../test/projects.ts';
import { recordedError } from '../../../test/recorded/recorded.ts';
import { fakeApi, renderApp, violations } from '../../../test/render-app.tsx';
import { ApiError, type ErrorAnswer } from '../../api/api-error.ts';
import type { GroupStorage } from '../../queries/projects.ts';
import { uploads } from '../../uploads/uploads.ts';

const PROJECT = buildProject();
const PATH = `/tools/projects/${PROJECT.id}/upload`;

const uploadApi = (): FakeApi =>
  fakeApi()
    .on('GET /api/v1/pivat/*/projects/*', PROJECT)
    .on('GET /api/v1/pivat/*/projects/*/filelist', { count: 1, results: [buildFile('there.fastq.gz')] });

const file = (name: string) => new File(['x'], name, { lastModified: 1 });

async function choose(files: File[], api = uploadApi()) {
  const view = await renderApp(PATH, { api });
  await screen.findByRole('link', { name: 'run_1' });
  const input = document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement;
  await view.user.upload(input, files);
  return view;
}

const real = uploads.start;

// A transfer that never ends by itself.
beforeEach(() => {
  uploads.start = () => ({ pause: () => undefined, cancel: () => undefined });
});

afterEach(() => {
  uploads.start = real;
  act(() => uploads.openFor(''));
  window.dispatchEvent(new Event('online'));
});

test('[UPLOAD-01] [UPLOAD-02] selected files appear in the queue with their status; each can be canceled', async () => {
  const view = await choose([file('S1_R1.fastq.gz'), file('S1_R2.fastq.gz')]);
  const row = (await screen.findByRole('rowheader', { name: /S1_R1/ })).closest('tr') as HTMLElement;
  expect(within(row).getByText(/In progress|Verifying/)).toBeVisible();
  await view.user.click(within(row).getByRole('button', { name: 'Pause S1_R1.fastq.gz' }));
  expect(within(row).getByText('Paused')).toBeVisible();
  await view.user.click(within(row).getByRole('button', { name: 'Cancel S1_R1.fastq.gz' }));
  expect(within(row).getByText('Canceled')).toBeVisible();
  expect(await violations()).toEqual([]);
});

test('[UPLOAD-09] [ERR-52] rejected files are listed with the reason', async () => {
  await choose([file('notes.txt'), file('a b.fastq'), file('there.fastq.gz')]);
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('notes.txt: This file format is not supported');
  expect(alert).toHaveTextContent('a b.fastq: Use letters, digits, dashes, underscores and dots only.');
  expect(alert).toHaveTextContent('there.fastq.gz: The file already exists in this project.');
});

test('[ERR-48] a file that was selected before is skipped, with a toast', async () => {
  const view = await choose([file('S1_R1.fastq.gz')]);
  await view.user.upload(document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement, [
    file('S1_R1.fastq.gz'),
  ]);
  expect(await screen.findByText('Repeated files skipped: 1.')).toBeVisible();
  expect(screen.getAllByRole('rowheader', { name: /S1_R1/ })).toHaveLength(1);
});

test('[ERR-47] a batch of too many files is rejected, with a toast', async () => {
  await choose(Array.from({ length: 101 }, (_, i) => file(`f${i}.fastq`)));
  expect(
    await screen.findByText('Too many simultaneous files: at most 100 are allowed. Select fewer files.'),
  ).toBeVisible();
  expect(uploads.get().items).toHaveLength(0);
});

test('[ERR-46] files for which the quota has no room are not uploaded, and the toast says so', async () => {
  const storage: GroupStorage = {
    used: 10 * 1024 ** 3 - 3,
    limit: 10 * 1024 ** 3,
    user_used: 0,
    user_limit: null,
    max_files_per_batch: 100,
    max_file_bytes: 2 * 1024 ** 3,
  };
  const api = uploadApi().on('GET /api/v1/pivat/*/group-storage', storage);
  const large = (name: string) => new File(['1234'], name, { lastModified: 1 });
  await choose([file('S1_R1.fastq.gz'), large('S2_R1.fastq.gz'), large('S2_R2.fastq.gz')], api);
  const toast = (await screen.findByText(/Storage exceeded: 2 uploads ignored\./)).closest('li') as HTMLElement;
  expect(toast).toHaveTextContent('Needed: < 0.01 GB. Free: < 0.01 GB. Delete files, then upload again.');
  expect(uploads.get().items.map(({ name }) => name)).toEqual(['S1_R1.fastq.gz']);
});

test('[ERR-46] an upload that the server refuses for the quota fails with a toast on any page and says so in its row', async () => {
  let refuse: (error: ApiError) => void = () => undefined;
  uploads.start = (_item, _file, { onError }) => {
    refuse = onError;
    return { pause: () => undefined, cancel: () => undefined };
  };
  const view = await choose([file('S9_R1.fastq.gz')]);
  await screen.findByRole('rowheader', { name: /S9_R1/ });
  const { status, body } = recordedError('storage_exceeded');
  const text = /Storage exceeded: the upload of S9_R1\.fastq\.gz was ignored\./;
  act(() => refuse(new ApiError('answered', { method: 'POST', url: '/' }, status, body as ErrorAnswer)));
  const toast = (await screen.findByText('The upload of S9_R1.fastq.gz failed.')).closest('li') as HTMLElement;
  expect(toast).toHaveTextContent(text);
  const row = screen.getByRole('rowheader', { name: /S9_R1/ }).closest('tr') as HTMLElement;
  expect(row).toHaveTextContent(text);
  expect(view.api.called('GET /api/v1/pivat/*/group-storage').length).toBeGreaterThan(1);
});

test('[ERR-49] a lost connection pauses running uploads with a message; they resume when it is back', async () => {
  await choose([file('S1_R1.fastq.gz')]);
  await screen.findByRole('rowheader', { name: /S1_R1/ });
  act(() => void window.dispatchEvent(new Event('offline')));
  expect(await screen.findByText('Some uploads are paused.')).toBeVisible();
  expect(uploads.get().items[0]?.status).toBe('paused');
  act(() => void window.dispatchEvent(new Event('online')));
  expect(uploads.get().items[0]?.status).toBe('uploading');
});

test('[UPLOAD-11] folders cannot be selected', async () => {
  await choose([]);
  const input = document.querySelector('input[type=file]');
  expect(input).not.toHaveAttribute('webkitdirectory');
  expect(screen.getByText(/Folders cannot be chosen/)).toBeVisible();
});
