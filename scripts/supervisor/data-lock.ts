/** Allows one supervisor per data folder, by a lock of the operating system that ends with the process. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const LOCK_FILE = 'lock.db';

/** Takes the lock. Returns undefined when another process holds it. Uses SQLite, because Node has no file locks. */
export function lockDataFolder(dataDir: string): { release(): void } | undefined {
  mkdirSync(dataDir, { recursive: true });
  const database = new DatabaseSync(join(dataDir, LOCK_FILE));
  try {
    database.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE');
  } catch {
    database.close();
    return undefined;
  }
  writeFileSync(join(dataDir, 'lock.pid'), `${process.pid}\n`);
  return { release: () => database.close() };
}

/** Returns the process id that the holder wrote. */
export function lockHolder(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, 'lock.pid'), 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
