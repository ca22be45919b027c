/**
 * Keeps step results for later tasks of the group, as hard links between the task's folder and `kept/` (docs/adr/0042).
 * Runs after the task has ended, when no pod can write to its folder. Only the api can link, because it has the storage
 * as one mount and pods do not.
 */

import type { StepResult } from '@seqpanel/crds/step-contract.ts';
import { keptDir, taskDir } from '@seqpanel/crds/storage.ts';
import { linkFile, makeFolder, removeEntry, renameEntry, touchFolder, writeWhole } from './change-storage.ts';
import {
  codeOf,
  listFolder,
  placeIn,
  readText,
  type StoragePlace,
  statEntry,
  temporaryBeside,
} from './inside-storage.ts';

const RESULT = 'result.json';
/** Folders processed in parallel, because a file server is slow to answer many small requests one after another. */
const AT_ONCE = 8;

export interface EndedTask {
  id: string;
  /** Group as named by the resource. */
  group: string;
}

/** Repeatable, also by two replicas at once. Returns the number of kept results. */
export async function keepResults(storageDir: string, task: EndedTask, now: Date): Promise<number> {
  const folders = await stepFolders(placeIn(storageDir, taskDir(task.id)));
  let kept = 0;
  const work = async (): Promise<void> => {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop())
      if (await keepFolder(storageDir, task.group, folder, now)) kept++;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return kept;
}

/**
 * Lists the folders that a step may have left: those of the task and those of each sample. Skips links that a program
 * made.
 */
async function stepFolders(task: StoragePlace): Promise<StoragePlace[]> {
  const inside = async (folder: StoragePlace): Promise<StoragePlace[]> =>
    (await listFolder(folder).catch(() => []))
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => folder.child(name));
  const samples = await inside(task.at('samples'));
  return [...(await inside(task)), ...(await Promise.all(samples.map(inside))).flat()];
}

/**
 * Reads result.json of a folder. Returns undefined when it is missing or names anything but files inside the folder.
 */
async function readResult(folder: StoragePlace): Promise<StepResult | undefined> {
  try {
    const result = JSON.parse(await readText(folder.at(RESULT))) as StepResult;
    if (!/^[0-9a-f]{64}$/.test(result.fingerprint)) return undefined;
    for (const { path, size } of result.outputs) {
      const stats = await statEntry(folder.at(path));
      if (!stats.isFile() || stats.size !== size) return undefined;
    }
    return result;
  } catch {
    return undefined;
  }
}

async function keepFolder(root: string, group: string, folder: StoragePlace, now: Date): Promise<boolean> {
  const result = await readResult(folder);
  if (!result) return false;
  const entry = placeIn(root, keptDir(group, result.fingerprint));
  const before = await readResult(entry);
  if (before && (await isSame(folder, entry, result))) return true;
  if (before && result.reused && equal(before, result)) {
    for (const { path } of result.outputs) await replaceByLink(entry.at(path), folder.at(path));
    // Marks the entry as used, because the sweep removes unused ones.
    await touchFolder(entry, now);
    return true;
  }
  await makeEntry(folder, entry, result);
  return true;
}

/** Whether the entry has the same files as the folder. */
async function isSame(folder: StoragePlace, entry: StoragePlace, { outputs }: StepResult): Promise<boolean> {
  for (const { path } of outputs) {
    const [a, b] = await Promise.all([folder, entry].map((at) => statEntry(at.at(path)).catch(() => undefined)));
    if (a === undefined || a.ino !== b?.ino || a.dev !== b.dev) return false;
  }
  return true;
}

const equal = (a: StepResult, b: StepResult): boolean => {
  const files = ({ outputs }: StepResult) => outputs.map(({ path, sha256, size }) => `${path} ${sha256} ${size}`);
  return files(a).join('\n') === files(b).join('\n');
};

/** Replaces the copy by a link. The step compared the bytes when it made the copy. */
async function replaceByLink(from: StoragePlace, to: StoragePlace): Promise<void> {
  const half = temporaryBeside(to);
  try {
    await linkFile(from, half);
    await renameEntry(half, to);
  } finally {
    // Renaming one link of a file to another does nothing and keeps both.
    await removeEntry(half);
  }
}

/** Also replaces a damaged entry, or one that another task created at the same time, which is equivalent. */
async function makeEntry(folder: StoragePlace, entry: StoragePlace, result: StepResult): Promise<void> {
  const half = temporaryBeside(entry);
  try {
    for (const { path } of result.outputs) {
      await makeFolder(half.at(path).folder);
      await linkFile(folder.at(path), half.at(path));
    }
    await makeFolder(half);
    // Written as a separate file: later tasks read the hashes and the origin of the result here.
    await writeWhole(half.at(RESULT), JSON.stringify(result));
    await removeEntry(entry);
    await renameEntry(half, entry).catch((error) => {
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    });
  } finally {
    await removeEntry(half);
  }
}
