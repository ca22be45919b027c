import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { fastq, fastqGz } from '../../test-support/sequences.ts';
import { aTaskRow } from '../../test-support/task-row.ts';
import { uploadFile } from '../../test-support/tus.ts';
import { MARKER_FILE } from '../storage/storage-marker.ts';

const BASE = '/api/v1/pivat';
let api: TestApi;
let group: string;
let user: TestUser;
let project: string;
let folder: string;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());
beforeEach(async () => {
  group = await api.addGroup();
  user = await api.addUser({ groups: { [group]: 'member' } });
  project = (await call(user, 'POST', '/projects', { name: 'run1' })).body.id;
  folder = join(api.storageDir, 'projects', group, project);
});

const call = (by: TestUser, method: string, path: string, body?: unknown) =>
  api.call(method, `${BASE}/${group}${path}`, { token: by.token, body });
const upload = (name: string, bytes: Buffer) => uploadFile({ api, user, group, project }, name, bytes);
const sync = (by = user) => call(by, 'PUT', `/projects/${project}/filelist/`);
const files = async () => (await call(user, 'GET', `/projects/${project}/filelist`)).body.results;
const put = (name: string, bytes: Buffer) => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), bytes);
  utimesSync(join(folder, name), 1, 1);
};

test('[API-35] the file list adds files put into the folder directly, and drops missing ones', async () => {
  await upload('gone.fq', fastq(1));
  put('sftp.fastq.gz', fastqGz(5));
  put('cut.fastq.gz', fastqGz(500).subarray(0, -50));
  put('notes.doc', Buffer.from('x'));
  rmSync(join(folder, 'gone.fq'));
  const { status, body } = await sync();
  expect(status).toBe(200);
  expect(body.results).toMatchObject([{ name: 'sftp.fastq.gz', type: 'fastq' }]);
  expect(body.refused).toMatchObject([
    { field: 'cut.fastq.gz', code: 'gzip_truncated' },
    { field: 'notes.doc', code: 'file_format_unsupported' },
    { field: 'gone.fq', code: 'file_missing' },
  ]);
});

describe('the file list keeps its files', () => {
  beforeEach(() => upload('S1.fq', fastq(3)));

  test('when the folder cannot be read', async () => {
    renameSync(folder, `${folder}-away`);
    writeFileSync(folder, 'a file in its place makes readdir fail with ENOTDIR');
    expect(await sync()).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
    rmSync(folder);
    renameSync(`${folder}-away`, folder);
    expect(await files()).toMatchObject([{ name: 'S1.fq' }]);
  });

  test('when another folder than the storage root is mounted', async () => {
    renameSync(api.storageDir, `${api.storageDir}-away`);
    mkdirSync(api.storageDir);
    const empty = await sync();
    writeFileSync(join(api.storageDir, MARKER_FILE), 'the id of another installation');
    put('S2.fq', fastq(1)); // the folder of the project was made on the wrong volume
    const other = await sync();
    rmSync(api.storageDir, { recursive: true });
    renameSync(`${api.storageDir}-away`, api.storageDir);
    expect([empty.status, other.status]).toEqual([503, 503]);
    expect(empty.body.code).toBe('storage_unavailable');
    expect(await files()).toMatchObject([{ name: 'S1.fq' }]);
  });

  test('while a task reads them, and reports them as missing', async () => {
    const task = aTaskRow(randomUUID(), { project_id: project, status: 'running' as const, created: new Date() });
    await api.deps.db('task').insert(task);
    const sample = { name: 'S1', library_id: 'S1', qc_type: 'Sample', role: 'germline' } as const;
    const read = JSON.stringify([{ name: 'S1.fq' }]);
    await api.deps.db('task_sample').insert({ task_id: task.id, idx: 0, ...sample, files: read });
    rmSync(join(folder, 'S1.fq'));
    const { body } = await sync();
    expect(body.refused).toMatchObject([{ field: 'S1.fq', code: 'file_missing' }]);
    expect(body.results).toMatchObject([{ name: 'S1.fq' }]);
  });
});

describe('a file that comes back', () => {
  let before: { id: string; owner: string; created: string };
  let colleague: TestUser;
  beforeEach(async () => {
    await upload('S1.fq', fastq(3));
    [before] = await files();
    colleague = await api.addUser({ groups: { [group]: 'member' } });
    rmSync(folder, { recursive: true });
    expect((await sync(colleague)).body.results).toEqual([]);
  });

  test('with the same bytes keeps its id, owner and date', async () => {
    put('S1.fq', fastq(3));
    expect((await sync(colleague)).body.results).toEqual([before]);
  });

  test('with other bytes is another file', async () => {
    put('S1.fq', fastq(4));
    const [after] = (await sync(colleague)).body.results;
    expect(after.id).not.toBe(before.id);
    expect(after.owner).toBe(colleague.username);
  });
});
