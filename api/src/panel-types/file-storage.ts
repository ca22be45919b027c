/** The files of panel types on storage. Each content has a folder of its own: what a resource names never changes under it. */
import { panelDir } from '@seqpanel/crds/storage.ts';
import { makeFolder, removeEntry, writeWhole } from '../storage/change-storage.ts';
import { isMissing, listFolder, placeIn, statEntry } from '../storage/inside-storage.ts';
import type { IncomingFile } from './intake.ts';
import type { PanelFiles, StoredFile } from './panel-row.ts';

/** Writes the content unless it is there; the file is whole and synced when its name appears. */
export async function storeFile(storageDir: string, value: string, file: IncomingFile): Promise<StoredFile> {
  const folder = placeIn(storageDir, panelDir(value), file.sha256.slice(0, 16));
  const target = folder.child(file.name);
  if ((await statEntry(target).catch(() => undefined))?.size !== file.content.length) {
    await makeFolder(folder);
    await writeWhole(target, file.content, 0o644);
  }
  return { name: file.name, path: target.path, sha256: file.sha256, size: file.content.length };
}

/** Removes contents that no row names any more; running tasks have copies of their own. */
export async function removeUnnamed(storageDir: string, value: string, files: PanelFiles | undefined): Promise<void> {
  const folder = placeIn(storageDir, panelDir(value));
  const { panel, control, control_data: data, parameters } = files ?? {};
  const named = new Set(
    [panel, control, data, ...(parameters ?? [])].flatMap((file) => (file ? [file.path.split('/').at(-2)] : [])),
  );
  for (const { name } of await listFolder(folder).catch(() => [])) {
    if (/^[0-9a-f]{16}$/.test(name) && !named.has(name)) await removeEntry(folder.child(name));
  }
}

/** Whether a panel file lies in the storage folder that no panel type has put there. */
export async function hasStrayPanelFile(storageDir: string, value: string): Promise<boolean> {
  return await statEntry(placeIn(storageDir, panelDir(value)).child(`${value}.json`)).then(
    () => true,
    (error) => !isMissing(error),
  );
}
