import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { aLaboratory, type Laboratory } from '../../test-support/laboratory.ts';
import { rawRequest } from '../../test-support/raw-request.ts';
import { GENOME } from '../../test-support/task-outputs.ts';

let folder: string;
let api: TestApi;
let lab: Laboratory;
let task: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'seqpanel-reference-'));
  const storageDir = join(folder, 'storage');
  mkdirSync(storageDir);
  writeFileSync(join(folder, 'kubeconfig'), 'a secret beside the storage');
  api = await startApi({ storageDir });
  lab = await aLaboratory(api);
  task = await lab.launch(['S1']);
  mkdirSync(join(storageDir, 'references', GENOME), { recursive: true });
  writeFileSync(join(storageDir, 'references', GENOME, 'genome.fa'), '>17\nACGT\n');
});
afterAll(async () => {
  await api?.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (file: string) =>
  rawRequest(api.url, 'GET', `/api/v1/pivat/0/tasks/${task}/reference/${file}`, {
    authorization: `Bearer ${lab.user.token}`,
  });

test('a file of the genome is sent', async () => {
  expect(await get('genome.fa')).toEqual({ status: 200, text: '>17\nACGT\n' });
});

test.each([
  '..%2F..%2F..%2Fkubeconfig',
  '..%2f..%2f..%2fkubeconfig',
  '%2e%2e%2f%2e%2e%2f%2e%2e%2fkubeconfig',
  '..%5C..%5C..%5Ckubeconfig',
  '..%252F..%252F..%252Fkubeconfig',
  '%2Fetc%2Fpasswd',
  'genome.fa%00',
  '%2e%2e',
  '..%c0%af..%c0%afkubeconfig',
  'genome.json',
])('the reference %s is refused', async (file) => {
  const { status, text } = await get(file);
  expect([400, 404]).toContain(status);
  expect(text).not.toContain('secret');
});
