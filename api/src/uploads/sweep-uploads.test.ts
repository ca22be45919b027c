import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi, type TestUser } from '../../test-support/api.ts';
import { fastq } from '../../test-support/sequences.ts';
import { sweepUploads } from './sweep-uploads.ts';

const DAY_MS = 86_400_000;
let api: TestApi;
let group: string;
let user: TestUser;
let project: string;
let folder: string;

beforeAll(async () => {
  api = await startApi();
  group = await api.addGroup();
  user = await api.addUser({ groups: { [group]: 'member' } });
  const path = `/api/v1/pivat/${group}/projects`;
  project = (await api.call('POST', path, { token: user.token, body: { name: 'run1' } })).body.id;
  folder = join(api.storageDir, 'projects', group, project);
  mkdirSync(folder, { recursive: true });
});
afterAll(() => api?.close());

/** Creates an upload whose last byte came `days` ago, left by a dead process. */
async function leftComplete(name: string, days: number): Promise<string> {
  const id = randomUUID();
  const bytes = fastq(2);
  const touched = new Date(Date.now() - days * DAY_MS);
  const row = { id, project_id: project, group_id: group, owner_id: user.id, name, size: bytes.length };
  await api.deps.db('upload').insert({ ...row, created: touched, touched });
  writeFileSync(join(folder, `.upload-${id}`), bytes);
  return id;
}

test('an upload that cannot be finished does not block the others and is removed in the end', async () => {
  const { db, log, now } = api.deps;
  // The name has no known type, so listing it violates a constraint of the database.
  const [young, old] = [await leftComplete('young.exe', 1), await leftComplete('old.exe', 8)];
  const [late, last] = [await leftComplete('S1.fq', 8), await leftComplete('S2.fq', 0)];
  await sweepUploads({ db, storageDir: api.storageDir, now }, log);
  const open = await db('upload').whereNull('file_id').select('id');
  expect(open).toEqual([{ id: young }]);
  expect(existsSync(join(folder, `.upload-${old}`))).toBe(false);
  const listed = await db('project_file').where({ project_id: project }).orderBy('name').select('name');
  expect(listed).toEqual([{ name: 'S1.fq' }, { name: 'S2.fq' }]);
  expect(await db('upload').whereIn('id', [late, last]).whereNull('file_id')).toEqual([]);
});
