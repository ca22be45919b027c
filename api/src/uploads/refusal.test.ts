import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { bgzfFastq, emptyBam, fastq, fastqGz } from '../../test-support/sequences.ts';
import { createUpload, uploadFile } from '../../test-support/tus.ts';
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

describe('a refusal', () => {
  test.each([
    ['a cut gzip', 'S1.fastq.gz', fastqGz(500).subarray(0, -200), 'gzip_truncated'],
    ['a cut gzip of blocks', 'S1.fastq.gz', bgzfFastq(5).subarray(0, -400), 'gzip_truncated'],
    ['a text named as gzip', 'S1.fastq.gz', fastq(5), 'gzip_invalid'],
    ['a damaged gzip', 'S1.fastq.gz', damaged(fastqGz(500)), 'gzip_damaged'],
    ['a FASTQ without @', 'S1.fastq', Buffer.from('ACGT\n+\nFFFF\n'), 'fastq_invalid'],
    ['a FASTQ whose quality is short', 'S1.fastq', Buffer.from('@r\nACGT\n+\nFF\n'), 'fastq_invalid'],
    ['a gzip of something else', 'S1.fq.gz', gzipSync('chrom\tpos\n'), 'fastq_invalid'],
    ['a text named as BAM', 'S1.bam', Buffer.from('hello'), 'bam_invalid'],
    ['a BAM without its end', 'S1.bam', emptyBam().subarray(0, -28), 'bam_truncated'],
    ['a text named as BAM index', 'S1.bam.bai', Buffer.from('hello'), 'bai_invalid'],
    ['a binary named as sheet', 'sheet.csv', Buffer.from([0, 1, 2]), 'samplesheet_invalid'],
  ])('of %s names the file and leaves nothing behind', async (_what, name, bytes, code) => {
    const { status, body } = await uploadFile(target, name, bytes);
    expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect(body.DISPLAY_ERROR_MESSAGE).toContain(name);
    expect(await target.listed()).toEqual([]);
    expect(target.filesOnStorage()).toEqual([]);
    expect(await api.deps.db('upload').where({ group_id: target.group })).toEqual([]);
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

function damaged(gzip: Buffer): Buffer {
  const copy = Buffer.from(gzip);
  copy.writeUInt32LE((copy.readUInt32LE(copy.length - 8) ^ 0xffff) >>> 0, copy.length - 8); // the checksum
  return copy;
}
