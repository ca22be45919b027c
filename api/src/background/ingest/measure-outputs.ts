/** What a task's folder occupies. Results that were kept for later tasks are the same files and cost nothing more. */

import { isPlainName } from '@seqpanel/crds/storage-path.ts';
import { type StoragePlace, statEntries } from '../../storage/inside-storage.ts';
import { eachAtOnce } from '../at-once.ts';

const AT_ONCE = 8;

/** Bytes of the files below `folder`; links are left out. What goes meanwhile counts nothing, nor does work in progress. */
export async function measureOutputs(folder: StoragePlace): Promise<number> {
  let bytes = 0;
  let folders = [folder];
  while (folders.length > 0) {
    const below: StoragePlace[] = [];
    await eachAtOnce(folders, AT_ONCE, async (place) => {
      for (const { name, stats } of await statEntries(place).catch(() => [])) {
        if (stats.isDirectory() && !name.startsWith('.') && isPlainName(name)) below.push(place.child(name));
        if (stats.isFile()) bytes += stats.size;
      }
    });
    folders = below;
  }
  return bytes;
}
