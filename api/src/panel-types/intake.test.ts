import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { pack } from 'tar-stream';
import type { UploadedFile } from '../feature.ts';
import { readIncoming } from './intake.ts';
import { checkDesignSizes } from './intake-limits.ts';

const MB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'seqpanel-intake-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a file of that part and size. Its bytes exist only when it is read. */
function sized(part: string, size: number): UploadedFile {
  const path = join(folder, `${part}-${size}`);
  writeFileSync(path, '');
  truncateSync(path, size);
  return { part, name: `${part}.x`, path, size, sha256: '' };
}
const absent = (part: string, size: number): UploadedFile => ({ ...sized(part, 0), path: '/none', size });

async function tarball(entries: Record<string, Buffer>): Promise<UploadedFile> {
  const packer = pack();
  for (const [name, content] of Object.entries(entries)) packer.entry({ name }, content);
  packer.finalize();
  const path = join(folder, 'tarball');
  const chunks: Buffer[] = [];
  for await (const chunk of packer) chunks.push(chunk as Buffer);
  writeFileSync(path, gzipSync(Buffer.concat(chunks)));
  return { part: 'panel_tarball', name: 'p.tar.gz', path, size: statSync(path).size, sha256: '' };
}
const refusalOf = (files: UploadedFile[]) =>
  readIncoming(files, 'p').then(
    () => 'accepted',
    ({ status, code }) => `${status} ${code}`,
  );

test.each([
  ['panel_file', 20],
  ['control_file', 5],
  ['parameter_files', 12],
  ['control_data_file', 64],
  ['panel_tarball', 64],
])('a file of part %s over %d MB is refused before it is read', async (part, limit) => {
  expect(await refusalOf([absent(part, limit * MB + 1)])).toBe('413 form_file_too_large');
  if (part !== 'panel_tarball') expect(await refusalOf([sized(part, limit * MB)])).toBe('accepted');
});

test('files above 64 MB in total are rejected before any is read', async () => {
  const files = ['panel_file', 'panel_file', 'panel_file', 'panel_file'].map((part) => absent(part, 17 * MB));
  expect(await refusalOf(files)).toBe('413 form_files_too_large');
});

test.each(['file', 'other', '__proto__', 'toString'])('a file of part %s is refused', async (part) => {
  expect(await refusalOf([absent(part, 1)])).toBe('400 form_part_unknown');
});

test('the files of a tarball have the limits of their roles, and count with the rest', async () => {
  expect(await refusalOf([await tarball({ 'control.txt': Buffer.alloc(5 * MB + 1) })])).toBe('413 form_file_too_large');
  expect(await refusalOf([await tarball({ 'a/p.json': Buffer.alloc(20 * MB + 1) })])).toBe('413 form_file_too_large');
  const data = await tarball({ 'a.data': Buffer.alloc(30 * MB), 'b.data': Buffer.alloc(30 * MB) });
  expect(data.size).toBeLessThan(MB);
  expect(await refusalOf([data])).toBe('accepted');
  expect(await refusalOf([data, sized('control_file', 5 * MB)])).toBe('413 form_files_too_large');
});

test('a tarball that unpacks to more than 64 MB is rejected, also if the bytes are padding', async () => {
  const files = await tarball({ '.hidden': Buffer.alloc(66 * MB) });
  expect(await refusalOf([files])).toBe('413 form_files_too_large');
  const path = join(folder, 'zeros');
  writeFileSync(path, gzipSync(Buffer.alloc(66 * MB)));
  const zeros = { part: 'panel_tarball', name: 'p.tar.gz', path, size: statSync(path).size, sha256: '' };
  expect(await refusalOf([zeros])).toBe('413 form_files_too_large');
});

test('a design may have two files of 20 MB', () => {
  const design =
    (...sizes: number[]) =>
    () =>
      checkDesignSizes(sizes.map((size) => absent('file', size)));
  expect(design(20 * MB, 20 * MB)).not.toThrow();
  expect(design(20 * MB + 1)).toThrow('is larger than 20 MB');
  expect(design(1, 1, 1)).toThrow('takes no file');
});
