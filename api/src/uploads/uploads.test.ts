import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { bgzfFastq, emptyBam, fastq, fastqGz } from '../../test-support/sequences.ts';
import {
  askOffset,
  cancelUpload,
  createUpload,
  sendBytes,
  type TusTarget,
  uploadFile,
} from '../../test-support/tus.ts';

let api: TestApi;
let user: TestUser;
let group: string;
let target: TusTarget;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());
beforeEach(async () => {
  group = await api.addGroup();
  user = await api.addUser({ groups: { [group]: 'member' } });
  const { body } = await api.call('POST', `/api/v1/pivat/${group}/projects`, {
    token: user.token,
    body: { name: 'run1' },
  });
  target = { api, user, group, project: body.id };
});

const folder = () => join(api.storageDir, 'projects', group, target.project);
const filesOnStorage = () => (existsSync(folder()) ? readdirSync(folder()) : []);
const listed = async () =>
  (await api.call('GET', `/api/v1/pivat/${group}/projects/${target.project}/filelist`, { token: user.token })).body
    .results;
const locationOf = async (name: string, size: number) =>
  (await createUpload(target, name, size)).headers.get('location')!;

describe('an upload', () => {
  test("[API-05] the protocol's own refusals have the shape of every error", async () => {
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': 'x' };
    const uploads = `/api/v1/pivat/${group}/uploads`;
    const post = (headers: Record<string, string>) => api.call('POST', uploads, { token: user.token, headers });
    for (const [status, headers] of [
      [412, {}],
      [400, tus],
    ] as const) {
      const answer = await post(headers);
      expect(answer).toMatchObject({
        status,
        body: { code: 'request_invalid', DISPLAY_ERROR_MESSAGE: expect.any(String) },
      });
      expect(answer.body.id).toBe(answer.headers.get('x-request-id'));
    }
    expect((await post(tus)).body.details.problems).toEqual([{ message: 'Invalid upload-length' }]);
  });

  test('whose bytes are missing on storage is gone, so that a client starts a new one', async () => {
    const location = await locationOf('S1_R1.fastq', 100);
    rmSync(join(folder(), `.upload-${location.split('/').at(-1)}`));
    expect((await askOffset(target, location)).status).toBe(410);
    expect(await sendBytes(target, location, 0, fastq(1))).toMatchObject({ status: 410, body: { code: 'not_found' } });
  });

  test('[UPLOAD-06] [API-34] is listed with type, name, size and its SHA-256 when the last byte has come', async () => {
    const bytes = fastqGz(200);
    expect((await uploadFile(target, 'S1_R1.fastq.gz', bytes)).status).toBe(204);
    expect(await listed()).toMatchObject([
      {
        name: 'S1_R1.fastq.gz',
        type: 'fastq',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        owner: user.username,
      },
    ]);
    expect(readFileSync(join(folder(), 'S1_R1.fastq.gz')).equals(bytes)).toBe(true);
    expect(filesOnStorage()).toEqual(['S1_R1.fastq.gz']);
  });

  test('[UPLOAD-03] [UPLOAD-07] continues from the bytes already stored and ends with identical content', async () => {
    const bytes = fastq(4000);
    const location = await locationOf('S1.fq', bytes.length);
    expect((await sendBytes(target, location, 0, bytes.subarray(0, 100_000))).headers.get('upload-offset')).toBe(
      '100000',
    );
    expect((await askOffset(target, location)).headers.get('upload-offset')).toBe('100000');
    expect((await sendBytes(target, location, 100_000, bytes.subarray(100_000))).status).toBe(204);
    expect(readFileSync(join(folder(), 'S1.fq')).equals(bytes)).toBe(true);
  });

  test('[UPLOAD-07] started at one api process continues at another', async () => {
    const other = await startApi({
      database: { db: api.deps.db, url: api.deps.config.databaseUrl, ownerUrl: '', close: async () => {} },
      storageDir: api.storageDir,
    });
    try {
      const bytes = fastq(4000);
      const location = await locationOf('S1.fq', bytes.length);
      await sendBytes(target, location, 0, bytes.subarray(0, 150_000));
      const there = { api: other, user };
      expect((await askOffset(there, location)).headers.get('upload-offset')).toBe('150000');
      expect((await sendBytes(there, location, 150_000, bytes.subarray(150_000))).status).toBe(204);
      expect((await listed())[0].sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    } finally {
      await other.close();
    }
  });

  test('[UPLOAD-07] held by a silent connection is released when another one requests it', async () => {
    const bytes = fastq(4000);
    const location = await locationOf('S1.fq', bytes.length);
    const silent = request(new URL(location, api.url), {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${user.token}`,
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
        'content-length': String(bytes.length),
      },
    });
    silent.on('error', () => undefined);
    silent.write(bytes.subarray(0, 100_000));
    const row = api.deps.db('upload').where({ id: location.split('/').at(-1)! });
    while (!(await row.clone().whereNotNull('locked_by').first('id')))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const offset = Number((await askOffset(target, location)).headers.get('upload-offset'));
    expect(offset).toBeLessThanOrEqual(100_000);
    expect((await sendBytes(target, location, offset, bytes.subarray(offset))).status).toBe(204);
    expect((await listed())[0].sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    silent.destroy();
  });

  test('whose process ended after the last byte is finished by the next question for its offset', async () => {
    const bytes = fastq(10);
    const location = await locationOf('S1.fq', bytes.length);
    const id = location.split('/').at(-1)!;
    const { appendFileSync } = await import('node:fs');
    appendFileSync(join(folder(), `.upload-${id}`), bytes); // as if it had been killed before the check
    expect((await askOffset(target, location)).headers.get('upload-offset')).toBe(String(bytes.length));
    expect(await listed()).toMatchObject([{ name: 'S1.fq' }]);
  });

  test('with bytes at a wrong offset is rejected and changes nothing', async () => {
    const bytes = fastq(100);
    const location = await locationOf('S1.fq', bytes.length);
    await sendBytes(target, location, 0, bytes.subarray(0, 1000));
    expect(await sendBytes(target, location, 500, bytes.subarray(500))).toMatchObject({
      status: 409,
      body: { code: 'upload_offset' },
    });
    expect((await askOffset(target, location)).headers.get('upload-offset')).toBe('1000');
  });

  test('[UPLOAD-04] [UPLOAD-05] that is cancelled adds no file, and the file can be uploaded again', async () => {
    const bytes = fastq(100);
    const location = await locationOf('S1.fq', bytes.length);
    await sendBytes(target, location, 0, bytes.subarray(0, 1000));
    expect((await cancelUpload(target, location)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect(filesOnStorage()).toEqual([]);
    expect((await uploadFile(target, 'S1.fq', bytes)).status).toBe(204);
  });

  test('of a second attempt by the same user replaces the first', async () => {
    const bytes = fastq(100);
    const first = await locationOf('S1.fq', bytes.length);
    await sendBytes(target, first, 0, bytes.subarray(0, 1000));
    expect((await uploadFile(target, 'S1.fq', bytes)).status).toBe(204);
    expect((await askOffset(target, first)).status).toBe(404);
    expect(filesOnStorage()).toEqual(['S1.fq']);
  });

  test.each([
    ['S1.fastq.gz', fastqGz(3)],
    ['S1.fastq.gz', bgzfFastq(3)],
    ['S1.fastq', fastq(3)],
    ['S1.fq', fastq(3)],
    ['S1.fq.gz', fastqGz(0)],
    ['S1.bam', emptyBam()],
    ['S1.bam.bai', Buffer.from('BAI\x01\0\0\0\0')],
    ['sheet.csv', Buffer.from('Sample_ID,Sample_well\n')],
  ])('[UPLOAD-08] takes %s', async (name, bytes) => {
    expect((await uploadFile(target, name, bytes)).status).toBe(204);
    expect(await listed()).toMatchObject([{ name }]);
  });
});

describe('a refusal', () => {
  test.each([
    ['a cut gzip', 'S1.fastq.gz', fastqGz(500).subarray(0, -200), 'gzip_truncated'],
    ['a cut gzip of blocks', 'S1.fastq.gz', bgzfFastq(5).subarray(0, -400), 'gzip_truncated'],
    ['a text named as gzip', 'S1.fastq.gz', fastq(5), 'gzip_invalid'],
    ['a damaged gzip', 'S1.fastq.gz', damaged(fastqGz(500)), 'gzip_damaged'],
    ['a FASTQ without @', 'S1.fastq', Buffer.from('ACGT\n+\nFFFF\n'), 'fastq_invalid'],
    ['a FASTQ whose quality is short', 'S1.fastq', Buffer.from('@r\nACGT\n+\nFF\n'), 'fastq_invalid'],
    ['a gzip of something else', 'S1.fq.gz', gzipOf('chrom\tpos\n'), 'fastq_invalid'],
    ['a text named as BAM', 'S1.bam', Buffer.from('hello'), 'bam_invalid'],
    ['a BAM without its end', 'S1.bam', emptyBam().subarray(0, -28), 'bam_truncated'],
    ['a text named as BAM index', 'S1.bam.bai', Buffer.from('hello'), 'bai_invalid'],
    ['a binary named as sheet', 'sheet.csv', Buffer.from([0, 1, 2]), 'samplesheet_invalid'],
  ])('of %s names the file and leaves nothing behind', async (_what, name, bytes, code) => {
    const { status, body } = await uploadFile(target, name, bytes);
    expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect(body.DISPLAY_ERROR_MESSAGE).toContain(name);
    expect(await listed()).toEqual([]);
    expect(filesOnStorage()).toEqual([]);
    expect(await api.deps.db('upload').where({ group_id: group })).toEqual([]);
  });

  test('[UPLOAD-10] of more than 2 GB points to SFTP, and 2 GB are taken', async () => {
    const tooLarge = await createUpload(target, 'S1.fastq.gz', 2 * 1024 ** 3 + 1);
    expect(tooLarge).toMatchObject({ status: 413, body: { code: 'file_too_large' } });
    expect(tooLarge.body.DISPLAY_ERROR_MESSAGE).toMatch(/S1\.fastq\.gz.*SFTP/);
    expect((await createUpload(target, 'S1.fastq.gz', 2 * 1024 ** 3)).status).toBe(201);
  });

  test('of an empty file comes before the first byte', async () => {
    expect(await createUpload(target, 'S1.fastq.gz', 0)).toMatchObject({ status: 400, body: { code: 'file_empty' } });
  });

  test.each(['S1.vcf', 'S1.fastq.zip', 'S1', '.bam', 'S1.bam.txt'])(
    '[UPLOAD-09] of %s says that the format is not supported',
    async (name) => {
      const { status, body } = await createUpload(target, name, 10);
      expect(status).toBe(400);
      if (name !== '.bam') expect(body.DISPLAY_ERROR_MESSAGE).toBe('This file format is not supported');
    },
  );

  test.each(['../S1.fastq', 'a/b.fastq', '.hidden.fastq', 'S 1.fastq', 'Ü.fastq', '..'])(
    '[PROJ-08] of the name %s',
    async (name) => {
      const { status, body } = await createUpload(target, name, 10);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'file_name_characters' });
    },
  );

  test('[ERR-52] of a name that is in the project already', async () => {
    await uploadFile(target, 'S1.fq', fastq(1));
    expect(await createUpload(target, 'S1.fq', 10)).toMatchObject({ status: 409, body: { code: 'file_exists' } });
  });

  test('[ERR-47] [SET-08] of a batch of more files than the setting, 100 by default', async () => {
    expect((await createUpload(target, 'a.fq', 10, { batch: '100' })).status).toBe(201);
    const refused = await createUpload(target, 'b.fq', 10, { batch: '101' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'too_many_files', details: { max: 100 } } });
  });

  test('of a project of another group, of none, and of an unknown size', async () => {
    const elsewhere = await api.addGroup();
    const other = await api.addUser({ groups: { [elsewhere]: 'member' } });
    expect((await createUpload({ ...target, user: other, group: elsewhere }, 'S1.fq', 10)).status).toBe(404);
    expect((await createUpload({ ...target, project: randomUUID() }, 'S1.fq', 10)).status).toBe(404);
    expect((await createUpload({ ...target, project: 'x' }, 'S1.fq', 10)).status).toBe(404);
    expect((await createUpload(target, 'S1.fq', undefined)).status).toBe(400);
  });
});

describe('quota', () => {
  test('[ERR-46] an upload that would exceed the group or the user is refused before a byte is sent', async () => {
    await api.deps.db('user_group').where({ id: group }).update({ allocated_bytes: 1000 });
    expect(await createUpload(target, 'S1.fq', 1001)).toMatchObject({
      status: 413,
      body: { code: 'storage_exceeded' },
    });
    await api.deps.db('user_group').where({ id: group }).update({ allocated_bytes: null });
    await api.deps.db('app_user').where({ id: user.id }).update({ quota_bytes: 500 });
    expect((await createUpload(target, 'S1.fq', 501)).status).toBe(413);
    expect((await createUpload(target, 'S1.fq', 500)).status).toBe(201);
  });

  test('[ERR-46] uploads at the same time cannot exceed it together', async () => {
    await api.deps.db('user_group').where({ id: group }).update({ allocated_bytes: 1000 });
    const answers = await Promise.all([1, 2, 3, 4, 5].map((n) => createUpload(target, `S${n}.fq`, 400)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 413, 413, 413]);
  });

  test('[ERR-46] exceeded in mid-upload ends it and leaves nothing behind', async () => {
    const bytes = fastq(100);
    const location = await locationOf('S1.fq', bytes.length);
    await sendBytes(target, location, 0, bytes.subarray(0, 1000));
    await api.deps.db('user_group').where({ id: group }).update({ allocated_bytes: 2000 });
    const refused = await sendBytes(target, location, 1000, bytes.subarray(1000));
    expect(refused).toMatchObject({ status: 413, body: { code: 'storage_exceeded', details: { file: 'S1.fq' } } });
    expect(filesOnStorage()).toEqual([]);
    expect(await listed()).toEqual([]);
  });

  test('[PROJ-09] [API-33] the storage used follows uploads and deletions', async () => {
    const bytes = fastq(100);
    const used = async () => (await api.call('GET', `/api/v1/pivat/0/group-storage`, { token: user.token })).body;
    await uploadFile(target, 'S1.fq', bytes);
    expect(await used()).toMatchObject({
      used: bytes.length,
      user_used: bytes.length,
      limit: null,
      max_files_per_batch: 100,
    });
    const [file] = await listed();
    const path = `/api/v1/pivat/${group}/projects/${target.project}/filelist/${file.id}/delete`;
    expect((await api.call('POST', path, { token: user.token })).status).toBe(204);
    expect(await used()).toMatchObject({ used: 0, user_used: 0 });
    expect(filesOnStorage()).toEqual([]);
  });

  test('[PROJ-09] [API-53] number and size of the files in a user record follow uploads and deletions', async () => {
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
    const file = (await listed()).find(({ name }: { name: string }) => name === 'S1.fq');
    await api.call('POST', `/api/v1/pivat/${group}/project-files/${file.id}/delete`, { token: user.token });
    expect(await record()).toEqual({ files: 1, total_size: second.length });
  });
});

function damaged(gzip: Buffer): Buffer {
  const copy = Buffer.from(gzip);
  copy.writeUInt32LE((copy.readUInt32LE(copy.length - 8) ^ 0xffff) >>> 0, copy.length - 8); // the checksum
  return copy;
}

function gzipOf(text: string): Buffer {
  const { gzipSync } = process.getBuiltinModule('node:zlib');
  return gzipSync(text);
}
