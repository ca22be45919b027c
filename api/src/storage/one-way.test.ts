import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, '..');

/** Files outside storage/ that open files, none below the storage root, and the reasons. */
const REASONS: Readonly<Record<string, string>> = {
  'db/database-settings.ts': 'mounted secrets',
  'http/multipart.ts': 'files of multipart bodies below the temporary folder',
  'http/static-files.ts': "the console's build",
  'openapi/document.ts': 'the OpenAPI document of the product',
  'panel-types/feature.ts': 'files of a multipart body',
  'panel-types/intake.ts': 'files of a multipart body',
  'pipelines/feature.ts': 'manifests of the product',
  'session/demo-account.ts': 'the mounted password of the demo account',
  'session/first-admin.ts': "the first administrator's one-time password",
  'session/password-file.ts': 'mounted passwords, and those left for the owner of the data folder',
  'session/sign-in-settings.ts': 'mounted secrets',
  'uncaught.ts': 'a count of errors in the data folder',
  'uploads/content/gzip.ts': 'reads from a descriptor that inside-storage.ts has opened',
};

const isCode = (name: string): boolean =>
  name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('storage/');

/** Whether a file imports more than types from node:fs. */
const opensFiles = (text: string): boolean =>
  /(^import (?!type\b)[^;]*from|require\(|import\()\s*['"](node:)?fs(\/promises)?['"]/m.test(
    text.replaceAll(/^import \{(\s*type \w+,?)+\s*\} from.*$/gm, ''),
  );

test('files below the storage root are reached through storage/ alone', () => {
  const names = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(isCode);
  expect(names.length).toBeGreaterThan(100);
  const found = names.filter((name) => opensFiles(readFileSync(join(SOURCE, name), 'utf8')));
  expect(found.filter((name) => !(name in REASONS))).toEqual([]);
});

test.each([
  ["import { open } from 'node:fs/promises';", true],
  ["import {\n  open,\n  stat,\n} from 'node:fs';", true],
  ["import fs from 'fs';", true],
  ["const { open } = await import('node:fs/promises');", true],
  ["import { type FileHandle, open } from 'node:fs/promises';", true],
  ["import type { FileHandle } from 'node:fs/promises';", false],
  ["import { type FileHandle } from 'node:fs/promises';", false],
  ["import { join } from 'node:path';", false],
])('%s counts: %s', (text, counts) => {
  expect(opensFiles(text)).toBe(counts);
});
