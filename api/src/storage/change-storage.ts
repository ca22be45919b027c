/** Writes below the storage root, through the folders that inside-storage.ts has verified. */

import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isMissing, openFolder, openToRead, temporaryBeside, withFolder } from './inside-storage.ts';
import type { StoragePlace } from './storage-place.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** Creates the folder and its parents below the root, which must exist. Does nothing if it exists. */
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

/** Creates an empty file and opens it for writing. Throws EEXIST when the name is in use, also by a link. */
export const createFile = (file: StoragePlace, mode = 0o664): Promise<FileHandle> =>
  withFolder(file.folder, (at) => open(join(at, file.name), 'wx', mode));

/** Writes the file under a temporary name, syncs it and renames it. The folder must exist. */
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

/** Adds a hard link to a file. Throws EEXIST when the name is in use. */
export const linkFile = (from: StoragePlace, to: StoragePlace): Promise<void> =>
  inBoth(from, to, (source, target) => link(source, target));

/** Renames, replacing an existing file. */
export const renameEntry = (from: StoragePlace, to: StoragePlace): Promise<void> =>
  inBoth(from, to, (source, target) => rename(source, target));

/** Removes a file, a link or a folder with its content. Does nothing if it does not exist. */
export async function removeEntry(entry: StoragePlace): Promise<void> {
  if (entry.path === '') throw new Error('the storage root cannot be removed');
  await withFolder(entry.folder, (at) => removeTree(join(at, entry.name))).catch((error) => {
    if (!isMissing(error)) throw error;
  });
}

export async function syncFile(file: StoragePlace): Promise<void> {
  await syncAndClose(await openToRead(file));
}

/** A new name is durable only when its folder is synced. */
export async function syncFolder(folder: StoragePlace): Promise<void> {
  await syncAndClose(await openFolder(folder));
}

/** Sets the modification time of a folder. */
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

/**
 * Does not enter a folder that is replaced by a link meanwhile. fs.rm would, because it checks first and then opens by
 * name.
 */
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
