import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { fastq } from '../../test-support/sequences.ts';
import { createUpload, sendBytes, uploadFile } from '../../test-support/tus.ts';
import { anUploadProject, type UploadProject } from '../../test-support/upload-project.ts';

let api: TestApi;
let target: UploadProject;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());
beforeEach(async () => {
  target = await anUploadProject(api);
});

describe('quota', () => {
  test('[ERR-46] an upload that would exceed the group or the user is refused before a byte is sent', async () => {
    await api.deps.db('user_group').where({ id: target.group }).update({ allocated_bytes: 1000 });
    expect(await createUpload(target, 'S1.fq', 1001)).toMatchObject({
      status: 413,
      body: { code: 'storage_exceeded' },
    });
    await api.deps.db('user_group').where({ id: target.group }).update({ allocated_bytes: null });
    await api.deps.db('app_user').where({ id: target.user.id }).update({ quota_bytes: 500 });
    expect((await createUpload(target, 'S1.fq', 501)).status).toBe(413);
    expect((await createUpload(target, 'S1.fq', 500)).status).toBe(201);
  });

  test('[ERR-46] uploads at the same time cannot exceed it together', async () => {
    await api.deps.db('user_group').where({ id: target.group }).update({ allocated_bytes: 1000 });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => createUpload(target, `S${n}.fq`, 400)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 413, 413, 413]);
  });

  test('[ERR-46] exceeded in mid-upload ends it and leaves nothing behind', async () => {
    const bytes = fastq(100);
    const location = await target.locationOf('S1.fq', bytes.length);
    await sendBytes(target, location, 0, bytes.subarray(0, 1000));
    await api.deps.db('user_group').where({ id: target.group }).update({ allocated_bytes: 2000 });
    const refused = await sendBytes(target, location, 1000, bytes.subarray(1000));
    expect(refused).toMatchObject({ status: 413, body: { code: 'storage_exceeded', details: { file: 'S1.fq' } } });
    expect(target.filesOnStorage()).toEqual([]);
    expect(await target.listed()).toEqual([]);
  });

  test('[PROJ-09] [API-33] the storage used follows uploads and deletions', async () => {
    const bytes = fastq(100);
    const used = async () =>
      (await api.call('GET', `/api/v1/pivat/0/group-storage`, { token: target.user.token })).body;
    await uploadFile(target, 'S1.fq', bytes);
    expect(await used()).toMatchObject({
      used: bytes.length,
      user_used: bytes.length,
      limit: null,
      max_files_per_batch: 100,
    });
    const [file] = await target.listed();
    const path = `/api/v1/pivat/${target.group}/projects/${target.project}/filelist/${file.id}/delete`;
    expect((await api.call('POST', path, { token: target.user.token })).status).toBe(204);
    expect(await used()).toMatchObject({ used: 0, user_used: 0 });
    expect(target.filesOnStorage()).toEqual([]);
  });

  test('[PROJ-09] [API-53] number and size of the files in a user record follow uploads and deletions', async () => {
    const { group, user } = target;
    const staff = await api.addUser({ staff: true });
    const record = async () => {
      const { body } = await api.call('GET', '/api/v1/pivat/admin/users?page_size=99999', { token: staff.token });
      const { files, total_size } = body.results.find(({ id }: { id: string }) => id === user.id);
      return { files, total_size };
    };
    const [first, second] = [fastq(100), fastq(30)];
    await uploadFile(target, 'S1.fq', first);
    await uploadFile(target, 'S2.fq', second);
    expect(await record()).toEqual({ files: 2, total_size: first.length + second.length });
    const file = (await target.listed()).find(({ name }: { name: string }) => name === 'S1.fq');
    await api.call('POST', `/api/v1/pivat/${group}/project-files/${file.id}/delete`, { token: user.token });
    expect(await record()).toEqual({ files: 1, total_size: second.length });
  });
});
