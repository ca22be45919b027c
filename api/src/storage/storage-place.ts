/** A place below the storage root, by name alone: whether there is a file is for inside-storage.ts. Pure. */

import { isPlainName, isPlainPath } from '@seqpanel/crds/storage-path.ts';
import { NotFound } from '../errors.ts';

/** A symbolic link where a file or folder of the storage is expected, or on the way to it. */
export class LinkRefused extends NotFound {
  constructor(path: string) {
    super('file_is_link', { file: path.split('/').at(-1) ?? path });
  }
}

/** Holds a path that is made of plain names, so that it cannot lead out of the root by its text. */
export class StoragePlace {
  readonly root: string;
  /** Relative to the root, without a slash at either end; empty for the root itself. */
  readonly path: string;

  constructor(root: string, path: string) {
    this.root = root;
    this.path = path;
  }

  /** Appends relative paths, as of crds/src/storage.ts. Throws NotFound unless each is made of plain names. */
  at(...paths: readonly string[]): StoragePlace {
    if (!paths.every(isPlainPath)) throw new NotFound();
    return new StoragePlace(this.root, [this.path, ...paths].filter((part) => part !== '').join('/'));
  }

  /** Appends one name that somebody gave. Throws NotFound for anything that is not a single plain name. */
  child(name: string): StoragePlace {
    if (!isPlainName(name)) throw new NotFound();
    return this.at(name);
  }

  get name(): string {
    return this.path.slice(this.path.lastIndexOf('/') + 1);
  }

  get folder(): StoragePlace {
    return new StoragePlace(this.root, this.path.slice(0, Math.max(0, this.path.lastIndexOf('/'))));
  }
}

/** The place of relative paths below `root`, an absolute path that may itself be a link. Throws as `at` does. */
export const placeIn = (root: string, ...paths: readonly string[]): StoragePlace =>
  new StoragePlace(root, '').at(...paths);
