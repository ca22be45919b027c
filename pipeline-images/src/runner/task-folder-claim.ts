/**
 * The first AnalysisTask to run in a task folder owns it. A later one of the same name (recreated, or restored from a
 * backup) must not change results that the database already describes (docs/adr/0066).
 */

import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { TASK_CLAIM, TASK_CLAIM_UID } from '@seqpanel/crds/storage.ts';
import { BadInput } from './bad-input.ts';
import { readVisible, type Sleep } from './files.ts';

const code = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Claims the folder for the AnalysisTask with this uid. Throws BadInput when another one owns it. */
export async function claimTaskFolder(taskFolder: string, uid: string, podUid: string, sleep?: Sleep): Promise<void> {
  const owner = (await readOwner(taskFolder)) ?? (await put(taskFolder, uid, podUid, sleep));
  if (owner === uid) return;
  throw new BadInput(
    basename(taskFolder),
    undefined,
    `this folder holds results of another AnalysisTask of the same name (uid ${owner.slice(0, 36)}). Launch the task again in the console, or apply it under a new name.`,
    'task_folder_claimed',
  );
}

async function readOwner(taskFolder: string): Promise<string | undefined> {
  try {
    return (await readFile(`${taskFolder}/${TASK_CLAIM_UID}`, 'utf8')).trim();
  } catch (error) {
    if (code(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Renames a complete folder into place, which succeeds for one pod only. Returns the owner's uid. */
async function put(taskFolder: string, uid: string, podUid: string, sleep?: Sleep): Promise<string> {
  const own = `${taskFolder}/${TASK_CLAIM}-${podUid}`;
  await rm(own, { recursive: true, force: true });
  await mkdir(own, { recursive: true });
  await writeFile(`${own}/uid`, `${uid}\n`, { flush: true });
  try {
    await rename(own, `${taskFolder}/${TASK_CLAIM}`);
    return uid;
  } catch (error) {
    if (code(error) !== 'ENOTEMPTY' && code(error) !== 'EEXIST') throw error;
    await rm(own, { recursive: true, force: true });
    return (await readVisible(`${taskFolder}/${TASK_CLAIM_UID}`, sleep)).toString().trim();
  }
}
