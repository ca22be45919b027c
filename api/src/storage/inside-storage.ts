/**
 * The api's only access to files below the storage root (docs/adr/0060). Never follows a symbolic link: opens a folder,
 * compares its real path, and reaches its entries through that descriptor, like openat(2), so a link added later has no
 * effect. The root itself may be a link. Throws LinkRefused or the file system's error, such as ENOENT.
 */

import { randomUUID } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, readlink, realpath, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { NotFound } from '../errors.ts';
import { LinkRefused, type StoragePlace } from './storage-place.ts';

export { LinkRefused, placeIn, StoragePlace } from './storage-place.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants;
/** Limit for files read as a whole: JSON of steps and files of panels. */
const MAX_READ_BYTES = 256 * 1024 * 1024;

/** Size and free space of the file system of the root. */
export const storageSpace = (root: string) => statfs(root);

export type Entry = Pick<Dirent, 'name' | 'isFile' | 'isDirectory'>;

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;
/** Whether the error means that the file or folder does not exist. */
export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';

/** Opens a regular file for reading. Does not block on a pipe or device. */
export const openToRead = (file: StoragePlace): Promise<FileHandle> => openFile(file, O_RDONLY);
/** Opens an existing regular file for reading and writing. */
export const openToWrite = (file: StoragePlace): Promise<FileHandle> => openFile(file, O_RDWR);

/** Throws EFBIG for a file of more than `most` bytes. */
export async function readBytes(file: StoragePlace, most = MAX_READ_BYTES): Promise<Buffer> {
  const handle = await openToRead(file);
  try {
    const { size } = await handle.stat();
    if (size > most)
      throw Object.assign(new Error(`EFBIG: ${file.path} has more than ${most} bytes`), { code: 'EFBIG' });
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

export const readText = async (file: StoragePlace): Promise<string> => (await readBytes(file)).toString('utf8');

export async function statEntry(entry: StoragePlace): Promise<Stats> {
  const stats = await withFolder(entry.folder, (at) => lstat(join(at, entry.name)));
  if (stats.isSymbolicLink()) throw new LinkRefused(entry.path);
  return stats;
}

/** Returns false also for a link and when the file system does not answer. */
export const isFile = (file: StoragePlace): Promise<boolean> =>
  statEntry(file).then(
    (stats) => stats.isFile(),
    () => false,
  );

/** Lists the entries. Links are included, as neither file nor folder. */
export const listFolder = (folder: StoragePlace): Promise<Entry[]> =>
  withFolder(folder, (at) => readdir(at, { withFileTypes: true }));

/** Lists entries with sizes and times. Skips links and entries removed meanwhile. */
export const statEntries = (folder: StoragePlace): Promise<{ name: string; stats: Stats }[]> =>
  withFolder(folder, async (at) => {
    const found = await Promise.all(
      (await readdir(at)).map(async (name) => ({ name, stats: await lstat(join(at, name)).catch(() => undefined) })),
    );
    return found.flatMap(({ name, stats }) => (stats && !stats.isSymbolicLink() ? [{ name, stats }] : []));
  });

/** Calls `work` with a path that keeps pointing to this folder even if it is renamed. Append one name to it. */
export async function withFolder<T>(folder: StoragePlace, work: (at: string) => Promise<T>): Promise<T> {
  const handle = await openFolder(folder);
  const at = `/proc/self/fd/${handle.fd}`;
  try {
    return await work(at);
  } catch (error) {
    const failure = error as Error;
    failure.message = failure.message?.replaceAll(at, folder.path);
    throw failure;
  } finally {
    await handle.close();
  }
}

/** Opens and verifies the folder. The caller closes it. */
export async function openFolder(folder: StoragePlace): Promise<FileHandle> {
  const expected = join(await realpath(folder.root), folder.path);
  const handle = await open(expected, O_RDONLY | O_DIRECTORY).catch((error) => {
    throw codeOf(error) === 'ELOOP' ? new LinkRefused(folder.path) : error;
  });
  const real = await readlink(`/proc/self/fd/${handle.fd}`);
  if (real === expected) return handle;
  await handle.close();
  if (real.endsWith(' (deleted)'))
    throw Object.assign(new Error(`ENOENT: ${folder.path} was removed meanwhile`), { code: 'ENOENT' });
  throw new LinkRefused(folder.path);
}

async function openFile(file: StoragePlace, flags: number): Promise<FileHandle> {
  const handle = await withFolder(file.folder, (at) =>
    open(join(at, file.name), flags | O_NOFOLLOW | O_NONBLOCK),
  ).catch((error) => {
    if (codeOf(error) === 'ELOOP') throw new LinkRefused(file.path);
    // A socket, or a folder opened for writing.
    if (codeOf(error) === 'ENXIO' || codeOf(error) === 'EISDIR') throw new NotFound();
    throw error;
  });
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new NotFound();
}

/** Returns a hidden name next to the file, for incomplete content. */
export const temporaryBeside = (file: StoragePlace): StoragePlace =>
  file.folder.child(`.${file.name.slice(0, 100)}.${randomUUID()}`);
