/** Allows one build at a time per cache. */

import { setTimeout as sleep } from 'node:timers/promises';
import { lockDataFolder, lockHolder } from '../supervisor/data-lock.ts';

const WAIT_MS = 30 * 60_000;

/** Waits for the lock of a folder and returns its release function. */
export async function lockFolder(folder: string): Promise<() => void> {
  for (let waited = 0; waited < WAIT_MS; waited += 500) {
    const lock = lockDataFolder(folder);
    if (lock) return lock.release;
    if (waited === 0) console.log(`Waiting for process ${lockHolder(folder)}, which is building images…`);
    await sleep(500);
  }
  throw new Error(`Process ${lockHolder(folder)} is still building images after ${WAIT_MS / 60_000} minutes.`);
}
