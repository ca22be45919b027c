/**
 * Keeps what the steps of a task have made for the later tasks of its group: stored once, as hard links between the task's
 * folder and `kept/` (docs/adr/0042). It runs once the task has ended, when no pod can write in its folder any more; the
 * api sees the storage as one mount, which pods do not.
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
/** Folders looked after at a time: a file server answers many small questions slowly, one after the other. */
const AT_ONCE = 8;

export interface EndedTask {
  id: string;
  /** As the resource names it. */
  group: string;
}

/** Repeatable, and two replicas may do it at the same time. Answers how many results are kept. */
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

/** Folders a step may have left: those of the task, and those of each sample. Links a program made are not followed. */
async function stepFolders(task: StoragePlace): Promise<StoragePlace[]> {
  const inside = async (folder: StoragePlace): Promise<StoragePlace[]> =>
    (await listFolder(folder).catch(() => []))
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => folder.child(name));
  const samples = await inside(task.at('samples'));
  return [...(await inside(task)), ...(await Promise.all(samples.map(inside))).flat()];
}

/** result.json of a folder; undefined when there is none, or it names anything but files inside the folder. */
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
    // The sweep removes what was not taken for long.
    await touchFolder(entry, now);
    return true;
  }
  await makeEntry(folder, entry, result);
  return true;
}

/** Whether the entry's files are the folder's. */
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

/** The step has found both to be the same bytes when it took the copy. */
async function replaceByLink(from: StoragePlace, to: StoragePlace): Promise<void> {
  const half = temporaryBeside(to);
  try {
    await linkFile(from, half);
    await renameEntry(half, to);
  } finally {
    // A rename of one name of a file to another does nothing, and both stay.
    await removeEntry(half);
  }
}

/** Also in place of an entry that was damaged, or made at the same time by another task: the next one is as good. */
async function makeEntry(folder: StoragePlace, entry: StoragePlace, result: StepResult): Promise<void> {
  const half = temporaryBeside(entry);
  try {
    for (const { path } of result.outputs) {
      await makeFolder(half.at(path).folder);
      await linkFile(folder.at(path), half.at(path));
    }
    await makeFolder(half);
    // A file of its own: a later task reads who made the result, and its hashes, from here.
    await writeWhole(half.at(RESULT), JSON.stringify(result));
    await removeEntry(entry);
    await renameEntry(half, entry).catch((error) => {
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    });
  } finally {
    await removeEntry(half);
  }
}
