/** Writes below the storage root, by the folders that inside-storage.ts has verified. */

import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isMissing, openFolder, openToRead, temporaryBeside, withFolder } from './inside-storage.ts';
import type { StoragePlace } from './storage-place.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** Makes the folder and those above it, below the root, which must exist. Does nothing when it exists. */
export async function makeFolder(folder: StoragePlace): Promise<void> {
  try {
    await (await openFolder(folder)).close();
  } catch (error) {
    if (!isMissing(error) || folder.path === '') throw error;
    await makeFolder(folder.folder);
    await withFolder(folder.folder, (at) => mkdir(join(at, folder.name))).catch((failure) => {
      if (codeOf(failure) !== 'EEXIST') throw failure;
    });
    await (await openFolder(folder)).close();
  }
}

/** Creates an empty file and opens it for writing; rejects with EEXIST when the name is taken, also by a link. */
export const createFile = (file: StoragePlace, mode = 0o664): Promise<FileHandle> =>
  withFolder(file.folder, (at) => open(join(at, file.name), 'wx', mode));

/** Writes the whole file beside its place, syncs it, and renames it; the folder must exist. */
export async function writeWhole(file: StoragePlace, content: Buffer | string, mode = 0o664): Promise<void> {
  const temporary = temporaryBeside(file);
  try {
    const handle = await createFile(temporary, mode);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renameEntry(temporary, file);
  } catch (error) {
    await removeEntry(temporary);
    throw error;
  }
  await syncFolder(file.folder);
}

/** Adds a second name to a file; rejects with EEXIST when the name is taken. */
export const linkFile = (from: StoragePlace, to: StoragePlace): Promise<void> =>
  inBoth(from, to, (source, target) => link(source, target));

/** Renames, replacing a file of the new name. */
export const renameEntry = (from: StoragePlace, to: StoragePlace): Promise<void> =>
  inBoth(from, to, (source, target) => rename(source, target));

/** Removes a file, a link or a folder with all that it holds. Does nothing when it does not exist. */
export async function removeEntry(entry: StoragePlace): Promise<void> {
  if (entry.path === '') throw new Error('the storage root is never removed');
  await withFolder(entry.folder, (at) => removeTree(join(at, entry.name))).catch((error) => {
    if (!isMissing(error)) throw error;
  });
}

export async function syncFile(file: StoragePlace): Promise<void> {
  await syncAndClose(await openToRead(file));
}

/** A new name is durable once the folder that holds it is on the disk. */
export async function syncFolder(folder: StoragePlace): Promise<void> {
  await syncAndClose(await openFolder(folder));
}

/** Sets the time of a folder's last change. */
export async function touchFolder(folder: StoragePlace, time: Date): Promise<void> {
  const handle = await openFolder(folder);
  try {
    await handle.utimes(time, time);
  } finally {
    await handle.close();
  }
}

async function syncAndClose(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const inBoth = (
  from: StoragePlace,
  to: StoragePlace,
  work: (source: string, target: string) => Promise<void>,
): Promise<void> =>
  withFolder(from.folder, (source) =>
    withFolder(to.folder, (target) => work(join(source, from.name), join(target, to.name))),
  );

/** A folder that is exchanged for a link meanwhile is not entered. fs.rm looks first and goes by name then. */
async function removeTree(path: string): Promise<void> {
  try {
    return await unlink(path);
  } catch (error) {
    if (isMissing(error)) return;
    if (codeOf(error) !== 'EISDIR' && codeOf(error) !== 'EPERM') throw error;
  }
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const at = `/proc/self/fd/${handle.fd}`;
    for (const name of await readdir(at)) await removeTree(join(at, name));
  } finally {
    await handle.close();
  }
  await rmdir(path);
}
