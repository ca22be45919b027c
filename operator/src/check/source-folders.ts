/** Folders of the files that a resource names, mounted read-only for its check. */

import { dirname } from 'node:path';
import type { Folder } from './check-kind.ts';

/** Skips folders inside a folder that is mounted anyway. */
export const sourceFolders = (paths: readonly string[], others: readonly Folder[]): Folder[] =>
  [...new Set(paths.map((path) => dirname(path)))]
    .filter((folder) => !others.some(({ path }) => folder === path || folder.startsWith(`${path}/`)))
    .map((path) => ({ path, readOnly: true }));
