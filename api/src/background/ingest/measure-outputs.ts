/**
 * Measures the size of a task's folder. Results kept for later tasks are hard links to the same files and add nothing.
 */

import { isPlainName } from '@seqpanel/crds/storage-path.ts';
import { type StoragePlace, statEntries } from '../../storage/inside-storage.ts';
import { forEachParallel } from '../for-each-parallel.ts';

const AT_ONCE = 8;

/** Returns the bytes of the files below `folder`. Skips links, work in progress and files deleted during the walk. */
export async function measureOutputs(folder: StoragePlace): Promise<number> {
  let bytes = 0;
  let folders = [folder];
  while (folders.length > 0) {
    const below: StoragePlace[] = [];
    await forEachParallel(folders, AT_ONCE, async (place) => {
      for (const { name, stats } of await statEntries(place).catch(() => [])) {
        if (stats.isDirectory() && !name.startsWith('.') && isPlainName(name)) below.push(place.child(name));
        if (stats.isFile()) bytes += stats.size;
      }
    });
    folders = below;
  }
  return bytes;
}
