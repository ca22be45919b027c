import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimTaskFolder } from './task-folder-claim.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'seqpanel-claim-')), 't1');
  mkdirSync(folder);
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

test('[K8S-21] the first AnalysisTask to run in a task folder owns it', async () => {
  await claimTaskFolder(folder, 'uid-1', 'pod-1');
  await claimTaskFolder(folder, 'uid-1', 'pod-2');
  await expect(claimTaskFolder(folder, 'uid-2', 'pod-3')).rejects.toMatchObject({
    name: 'BadInput',
    code: 'task_folder_claimed',
    message: expect.stringContaining('another AnalysisTask of the same name (uid uid-1)'),
  });
  expect(readdirSync(folder)).toEqual(['.claim']);
  expect(readFileSync(join(folder, '.claim/uid'), 'utf8')).toBe('uid-1\n');
});

test('[K8S-21] of pods that start at once, only those of one AnalysisTask continue', async () => {
  const pods = Array.from({ length: 40 }, (_, i) => claimTaskFolder(folder, `uid-${i % 2}`, `pod-${i}`));
  const ends = await Promise.allSettled(pods);
  const owner = readFileSync(join(folder, '.claim/uid'), 'utf8').trim();
  const passed = ends.map(({ status }, i) => (status === 'fulfilled' ? `uid-${i % 2}` : '')).filter(Boolean);
  expect(passed).toEqual(Array(20).fill(owner));
  expect(readdirSync(folder)).toEqual(['.claim']);
});
