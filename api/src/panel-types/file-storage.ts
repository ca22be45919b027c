/** Stores files of panel types. Each content has its own folder, so a file named by a resource never changes. */
import { panelDir } from '@seqpanel/crds/storage.ts';
import { makeFolder, removeEntry, writeWhole } from '../storage/change-storage.ts';
import { isMissing, placeIn, statEntries, statEntry } from '../storage/inside-storage.ts';
import type { IncomingFile } from './intake.ts';
import type { PanelFiles, StoredFile } from './panel-row.ts';

/**
 * Writes the content; the name appears only when the file is complete and synced. Rewrites a content that exists, so
 * that it counts as new and is not removed as unreferenced.
 */
export async function storeFile(storageDir: string, value: string, file: IncomingFile): Promise<StoredFile> {
  const folder = placeIn(storageDir, panelDir(value), file.sha256.slice(0, 16));
  const target = folder.child(file.name);
  await makeFolder(folder);
  await writeWhole(target, file.content, 0o644);
  return { name: file.name, path: target.path, sha256: file.sha256, size: file.content.length };
}

/** Contents younger than this may belong to a row that is not written yet or to a running check. */
const UNNAMED_KEPT_MS = 3_600_000;

/** Removes older contents that the row does not reference. Running tasks have their own copies. */
export async function removeUnnamed(storageDir: string, value: string, files: PanelFiles, now: Date): Promise<void> {
  const folder = placeIn(storageDir, panelDir(value));
  const { panel, control, control_data: data, parameters } = files;
  const named = new Set(
    [panel, control, data, ...parameters].flatMap((file) => (file ? [file.path.split('/').at(-2)] : [])),
  );
  for (const { name, stats } of await statEntries(folder).catch(() => [])) {
    const isOld = now.getTime() - stats.mtimeMs > UNNAMED_KEPT_MS;
    if (/^[0-9a-f]{16}$/.test(name) && !named.has(name) && isOld) await removeEntry(folder.child(name));
  }
}

/** Reports whether the storage folder holds a panel file that no panel type stored. */
export async function hasStrayPanelFile(storageDir: string, value: string): Promise<boolean> {
  return await statEntry(placeIn(storageDir, panelDir(value)).child(`${value}.json`)).then(
    () => true,
    (error) => !isMissing(error),
  );
}
