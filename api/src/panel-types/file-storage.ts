/** The files of panel types on storage. Each content has a folder of its own: what a resource names never changes under it. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { panelDir } from '@seqpanel/crds/storage.ts';
import type { IncomingFile } from './intake.ts';
import type { PanelFiles, StoredFile } from './panel-row.ts';

/** Writes the content unless it is there; the file is whole and synced when its name appears. */
export async function storeFile(storageDir: string, value: string, file: IncomingFile): Promise<StoredFile> {
  const path = `${panelDir(value)}/${file.sha256.slice(0, 16)}/${file.name}`;
  const target = join(storageDir, path);
  if ((await stat(target).catch(() => undefined))?.size !== file.content.length) {
    await mkdir(dirname(target), { recursive: true });
    const temporary = join(dirname(target), `.${randomUUID()}`);
    const handle = await open(temporary, 'wx', 0o644);
    try {
      await handle.writeFile(file.content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, target);
  }
  return { name: file.name, path, sha256: file.sha256, size: file.content.length };
}

/** Removes contents that no row names any more; running tasks have copies of their own. */
export async function removeUnnamed(storageDir: string, value: string, files: PanelFiles | undefined): Promise<void> {
  const folder = join(storageDir, panelDir(value));
  const { panel, control, control_data: data, parameters } = files ?? {};
  const named = new Set(
    [panel, control, data, ...(parameters ?? [])].flatMap((file) => (file ? [file.path.split('/').at(-2)] : [])),
  );
  for (const name of await readdir(folder).catch(() => [])) {
    if (/^[0-9a-f]{16}$/.test(name) && !named.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Whether a panel file lies in the storage folder that no panel type has put there. */
export async function hasStrayPanelFile(storageDir: string, value: string): Promise<boolean> {
  return (await stat(join(storageDir, panelDir(value), `${value}.json`)).catch(() => undefined)) !== undefined;
}
