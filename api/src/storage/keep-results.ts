/**
 * Keeps what the steps of a task have made for the later tasks of its group: stored once, as hard links between the task's
 * folder and `kept/` (docs/adr/0042). It runs once the task has ended, when no pod can write in its folder any more; the
 * api sees the storage as one mount, which pods do not.
 */

import { randomUUID } from 'node:crypto';
import { link, lstat, mkdir, readdir, readFile, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { keptDir, taskDir } from '@seqpanel/crds/storage.ts';

const RESULT = 'result.json';
/** Folders looked after at a time: a file server answers many small questions slowly, one after the other. */
const AT_ONCE = 8;

export interface EndedTask {
  id: string;
  /** As the resource names it. */
  group: string;
}

/** Repeatable, and two replicas may do it at the same time. Answers how many results are kept. */
export async function keepResults(storageDir: string, task: EndedTask, now: Date): Promise<number> {
  const root = await realpath(storageDir);
  const folders = await stepFolders(join(root, taskDir(task.id)));
  let kept = 0;
  const work = async (): Promise<void> => {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
      if (await keepFolder(root, task.group, folder, now)) kept++;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return kept;
}

/** Folders a step may have left: those of the task, and those of each sample. Links a program made are not followed. */
async function stepFolders(task: string): Promise<string[]> {
  const inside = async (folder: string): Promise<string[]> =>
    (await readdir(folder, { withFileTypes: true }).catch(() => []))
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => join(folder, name));
  const samples = await inside(join(task, 'samples'));
  return [...(await inside(task)), ...(await Promise.all(samples.map(inside))).flat()];
}

/** result.json of a folder; undefined when there is none, or it names anything but files inside the folder. */
async function readResult(folder: string): Promise<StepResult | undefined> {
  try {
    const result = JSON.parse(await readFile(join(folder, RESULT), 'utf8')) as StepResult;
    if (!/^[0-9a-f]{64}$/.test(result.fingerprint)) return undefined;
    for (const { path, size } of result.outputs) {
      const file = join(folder, path);
      const stats = await lstat(file);
      if (!stats.isFile() || stats.size !== size || (await realpath(file)) !== file || !file.startsWith(`${folder}/`))
        return undefined;
    }
    return result;
  } catch {
    return undefined;
  }
}

async function keepFolder(root: string, group: string, folder: string, now: Date): Promise<boolean> {
  const result = await readResult(folder);
  if (!result) return false;
  const entry = join(root, keptDir(group, result.fingerprint));
  const before = await readResult(entry);
  if (before && (await isSame(folder, entry, result))) return true;
  if (before && result.reused && equal(before, result)) {
    for (const { path } of result.outputs) await replaceByLink(join(entry, path), join(folder, path));
    // The sweep removes what was not taken for long.
    await utimes(entry, now, now);
    return true;
  }
  await makeEntry(folder, entry, result);
  return true;
}

/** Whether the entry's files are the folder's. */
async function isSame(folder: string, entry: string, { outputs }: StepResult): Promise<boolean> {
  for (const { path } of outputs) {
    const [a, b] = await Promise.all([folder, entry].map((at) => lstat(join(at, path)).catch(() => undefined)));
    if (a === undefined || a.ino !== b?.ino || a.dev !== b.dev) return false;
  }
  return true;
}

const equal = (a: StepResult, b: StepResult): boolean => {
  const files = ({ outputs }: StepResult) => outputs.map(({ path, sha256, size }) => `${path} ${sha256} ${size}`);
  return files(a).join('\n') === files(b).join('\n');
};

/** The step has found both to be the same bytes when it took the copy. */
async function replaceByLink(from: string, to: string): Promise<void> {
  const half = join(dirname(to), `.${randomUUID()}`);
  try {
    await link(from, half);
    await rename(half, to);
  } finally {
    // A rename of one name of a file to another does nothing, and both stay.
    await rm(half, { force: true });
  }
}

/** Also in place of an entry that was damaged, or made at the same time by another task: the next one is as good. */
async function makeEntry(folder: string, entry: string, result: StepResult): Promise<void> {
  const half = join(dirname(entry), `.${result.fingerprint}-${randomUUID()}`);
  try {
    for (const { path } of result.outputs) {
      await mkdir(dirname(join(half, path)), { recursive: true });
      await link(join(folder, path), join(half, path));
    }
    await mkdir(half, { recursive: true });
    // A file of its own: a later task reads who made the result, and its hashes, from here.
    await writeFile(join(half, RESULT), JSON.stringify(result));
    await rm(entry, { recursive: true, force: true });
    await rename(half, entry).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(half, { recursive: true, force: true });
  }
}
