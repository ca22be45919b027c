/**
 * Distinguishes the storage root of this installation from an empty mount point. The root holds a file with an id that
 * Postgres also has. Its name has no leading dot, so that `tar *` of the documented backup includes it.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';

export const MARKER_FILE = 'storage-id';

/**
 * Writes the marker once in the life of an installation and returns its id. Never rewrites a marker that Postgres
 * knows, because the folder without it may be a mount point with its volume missing.
 */
export async function claimStorage(db: Knex, storageDir: string, now: Date): Promise<string> {
  const known = await knownId(db);
  if (known !== undefined) return known;
  const id = await writeOrReadMarker(storageDir);
  await db('storage_root').insert({ id, created: now }).onConflict('single').ignore();
  return (await knownId(db)) ?? id;
}

/** Whether the root is the claimed one. Any failure to read the marker means no. */
export async function isStorageThere(db: Knex, storageDir: string): Promise<boolean> {
  const [known, found] = await Promise.all([knownId(db), readMarker(storageDir).catch(() => undefined)]);
  return known !== undefined && known === found;
}

async function knownId(db: Knex): Promise<string | undefined> {
  return (await db('storage_root').first('id'))?.id;
}

const readMarker = async (storageDir: string): Promise<string> =>
  (await readFile(join(storageDir, MARKER_FILE), 'utf8')).trim();

/** Uses a link, so that of two processes one writes the complete file and the other reads it. */
async function writeOrReadMarker(storageDir: string): Promise<string> {
  const id = randomUUID();
  const temporary = join(storageDir, `.${MARKER_FILE}-${id}`);
  try {
    await writeFile(temporary, `${id}\n`, { flag: 'wx' });
    await link(temporary, join(storageDir, MARKER_FILE));
    return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return await readMarker(storageDir);
  } finally {
    await rm(temporary, { force: true });
  }
}
