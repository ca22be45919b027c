/** The folders of the files that a resource names, to be read by its check. */

import { dirname } from 'node:path';
import type { Folder } from './check-kind.ts';

/** Without those that are inside a folder which the check has anyway. */
export const sourceFolders = (paths: readonly string[], others: readonly Folder[]): Folder[] =>
  [...new Set(paths.map((path) => dirname(path)))]
    .filter((folder) => !others.some(({ path }) => folder === path || folder.startsWith(`${path}/`)))
    .map((path) => ({ path, readOnly: true }));
