/** One supervisor per data folder: a lock of the operating system, gone with the process however it ends. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export const LOCK_FILE = 'lock.db';

/** Takes the lock; undefined when another process holds it. SQLite brings the file lock that Node does not have. */
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

/** Who holds it, as the holder wrote it down. */
export function lockHolder(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, 'lock.pid'), 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
