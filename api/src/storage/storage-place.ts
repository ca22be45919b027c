/** A path below the storage root. Whether the file exists is up to inside-storage.ts. Pure. */

import { isPlainName, isPlainPath } from '@seqpanel/crds/storage-path.ts';
import { NotFound } from '../errors.ts';

/** A symbolic link in place of a file or folder of the storage, or in its path. */
export class LinkRefused extends NotFound {
  constructor(path: string) {
    super('file_is_link', { file: path.split('/').at(-1) ?? path });
  }
}

/** Holds a path of plain names, which cannot lead out of the root. */
export class StoragePlace {
  readonly root: string;
  /** Relative to the root, without leading or trailing slash. Empty for the root itself. */
  readonly path: string;

  constructor(root: string, path: string) {
    this.root = root;
    this.path = path;
  }

  /**
   * Appends relative paths, such as those of crds/src/storage.ts. Throws NotFound unless each consists of plain names.
   */
  at(...paths: readonly string[]): StoragePlace {
    if (!paths.every(isPlainPath)) throw new NotFound();
    return new StoragePlace(this.root, [this.path, ...paths].filter((part) => part !== '').join('/'));
  }

  /** Appends one name from outside. Throws NotFound for anything but a single plain name. */
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

/** Returns the place of relative paths below `root`, an absolute path that may itself be a link. Throws like `at`. */
export const placeIn = (root: string, ...paths: readonly string[]): StoragePlace =>
  new StoragePlace(root, '').at(...paths);
