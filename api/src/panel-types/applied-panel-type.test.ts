import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../../test-support/api.ts';
import { importPanelType } from './applied-panel-type.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.close());

const CONTENT = '{"secret":"of another file"}';
const hash = createHash('sha256').update(CONTENT).digest('hex');

test.each([
  ['the file that the resource names', 'incoming/lab.json', hash, JSON.parse(CONTENT)],
  ['not another file in its place', 'incoming/lab.json', '0'.repeat(64), null],
  ['not a file of a task', 'tasks/t1/preset.json', hash, null],
])('a panel type that was applied with kubectl shows %s', async (_, path, sha256, panel) => {
  const place = join(api.storageDir, path);
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(place, CONTENT);
  const value = `p${randomUUID().slice(0, 8)}`;
  const spec = { value, displayName: value, genome: 'g', files: { panel: { path, sha256 } } };
  await importPanelType(api.deps.db, api.storageDir, { metadata: { name: value }, spec } as never, new Date());
  expect(await api.deps.db('panel_type').where({ value }).first('panel')).toEqual({ panel });
  // A kubelet would create it as root.
  expect(existsSync(join(api.storageDir, 'panels', value))).toBe(true);
});
