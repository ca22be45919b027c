import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { bgzfFastq, emptyBam, fastq, fastqGz } from '../../test-support/sequences.ts';
import { askOffset, cancelUpload, sendBytes, uploadFile } from '../../test-support/tus.ts';
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

describe('an upload', () => {
  test('[API-05] rejections by the protocol have the common error shape', async () => {
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': 'x' };
    const uploads = `/api/v1/pivat/${target.group}/uploads`;
    const post = (headers: Record<string, string>) => api.call('POST', uploads, { token: target.user.token, headers });
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
    const location = await target.locationOf('S1_R1.fastq', 100);
    rmSync(join(target.folder, `.upload-${location.split('/').at(-1)}`));
    expect((await askOffset(target, location)).status).toBe(410);
    expect(await sendBytes(target, location, 0, fastq(1))).toMatchObject({ status: 410, body: { code: 'not_found' } });
  });

  test('[UPLOAD-06] [API-34] is listed with type, name, size and SHA-256 after its last byte', async () => {
    const bytes = fastqGz(200);
    expect((await uploadFile(target, 'S1_R1.fastq.gz', bytes)).status).toBe(204);
    expect(await target.listed()).toMatchObject([
      {
        name: 'S1_R1.fastq.gz',
        type: 'fastq',
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        owner: target.user.username,
      },
    ]);
    expect(readFileSync(join(target.folder, 'S1_R1.fastq.gz')).equals(bytes)).toBe(true);
    expect(target.filesOnStorage()).toEqual(['S1_R1.fastq.gz']);
  });

  test('[UPLOAD-03] [UPLOAD-07] continues from the bytes already stored and ends with identical content', async () => {
    const bytes = fastq(4000);
    const location = await target.locationOf('S1.fq', bytes.length);
    expect((await sendBytes(target, location, 0, bytes.subarray(0, 100_000))).headers.get('upload-offset')).toBe(
      '100000',
    );
    expect((await askOffset(target, location)).headers.get('upload-offset')).toBe('100000');
    expect((await sendBytes(target, location, 100_000, bytes.subarray(100_000))).status).toBe(204);
    expect(readFileSync(join(target.folder, 'S1.fq')).equals(bytes)).toBe(true);
  });

  test('[UPLOAD-07] started at one api process continues at another', async () => {
    const other = await startApi({
      database: { db: api.deps.db, url: api.deps.config.databaseUrl, ownerUrl: '', close: async () => {} },
      storageDir: api.storageDir,
    });
    try {
      const bytes = fastq(4000);
      const location = await target.locationOf('S1.fq', bytes.length);
      await sendBytes(target, location, 0, bytes.subarray(0, 150_000));
      const there = { api: other, user: target.user };
      expect((await askOffset(there, location)).headers.get('upload-offset')).toBe('150000');
      expect((await sendBytes(there, location, 150_000, bytes.subarray(150_000))).status).toBe(204);
      expect((await target.listed())[0].sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    } finally {
      await other.close();
    }
  });

  test('[UPLOAD-07] held by a silent connection is released when another one requests it', async () => {
    const bytes = fastq(4000);
    const location = await target.locationOf('S1.fq', bytes.length);
    const silent = request(new URL(location, api.url), {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${target.user.token}`,
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
    expect((await target.listed())[0].sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    silent.destroy();
  });

  test('whose process ended after the last byte is finished by the next request for its offset', async () => {
    const bytes = fastq(10);
    const location = await target.locationOf('S1.fq', bytes.length);
    const id = location.split('/').at(-1)!;
    appendFileSync(join(target.folder, `.upload-${id}`), bytes); // as if it had been killed before the check
    expect((await askOffset(target, location)).headers.get('upload-offset')).toBe(String(bytes.length));
    expect(await target.listed()).toMatchObject([{ name: 'S1.fq' }]);
  });

  test('with bytes at a wrong offset is rejected and changes nothing', async () => {
    const bytes = fastq(100);
    const location = await target.locationOf('S1.fq', bytes.length);
    await sendBytes(target, location, 0, bytes.subarray(0, 1000));
    expect(await sendBytes(target, location, 500, bytes.subarray(500))).toMatchObject({
      status: 409,
      body: { code: 'upload_offset' },
    });
    expect((await askOffset(target, location)).headers.get('upload-offset')).toBe('1000');
  });

  test('[UPLOAD-04] [UPLOAD-05] that is cancelled adds no file, and the file can be uploaded again', async () => {
    const bytes = fastq(100);
    const location = await target.locationOf('S1.fq', bytes.length);
    await sendBytes(target, location, 0, bytes.subarray(0, 1000));
    expect((await cancelUpload(target, location)).status).toBe(204);
    expect(await target.listed()).toEqual([]);
    expect(target.filesOnStorage()).toEqual([]);
    expect((await uploadFile(target, 'S1.fq', bytes)).status).toBe(204);
  });

  test('started again by the same user replaces the first one', async () => {
    const bytes = fastq(100);
    const first = await target.locationOf('S1.fq', bytes.length);
    await sendBytes(target, first, 0, bytes.subarray(0, 1000));
    expect((await uploadFile(target, 'S1.fq', bytes)).status).toBe(204);
    expect((await askOffset(target, first)).status).toBe(404);
    expect(target.filesOnStorage()).toEqual(['S1.fq']);
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
    expect(await target.listed()).toMatchObject([{ name }]);
  });
});
