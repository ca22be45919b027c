/** Updates a project's list of files from its folder, for files added by SFTP or copying. */
import { randomUUID } from 'node:crypto';
import { fileNameProblem } from '@seqpanel/crds/account-rules.ts';
import { fileTypeOf } from '@seqpanel/crds/file-types.ts';
import { formatMessage } from '@seqpanel/crds/messages.ts';
import { projectDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { type Actor, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { AppError, type Problem } from '../errors.ts';
import { isMissing, listFolder, placeIn, type StoragePlace, statEntry } from '../storage/inside-storage.ts';
import { isStorageThere } from '../storage/storage-marker.ts';
import { fits, readStorageUse } from '../storage/storage-use.ts';
import { checkContent } from '../uploads/content/check-content.ts';
import { hashFile } from '../uploads/finish-upload.ts';
import type { FilesInUse } from './files-in-use.ts';

/** A file changed more recently may still be being written. */
const QUIET_MS = 5_000;
/** Change recorded in the audit log when a file is removed from the list. */
const MISSING = { field: 'missing_on_storage', from: false, to: true };

export interface SyncTarget {
  groupId: string;
  projectId: string;
  actor: Actor;
}

export interface SyncDeps {
  db: Knex;
  storageDir: string;
  filesInUse: FilesInUse;
  now: () => Date;
}

interface ListedFile {
  id: string;
  name: string;
}

/** Returns files that could not be listed and files that are missing, each with its reason. */
export async function syncFiles(deps: SyncDeps, target: SyncTarget): Promise<Problem[]> {
  const { db, storageDir } = deps;
  const folder = placeIn(storageDir, projectDir(target.groupId, target.projectId));
  // Reads the list before the folder: an upload that ends in between is in the folder and not in this list.
  const listed: ListedFile[] = await db('project_file')
    .where({ project_id: target.projectId })
    .whereNull('deleted')
    .select('id', 'name');
  const present = await namesIn(folder);
  if (!(await isStorageThere(db, storageDir))) throw new AppError(503, 'storage_unavailable');
  const known = new Set(listed.map(({ name }) => name));
  const refused: Problem[] = [];
  for (const name of present.filter((file) => !known.has(file)).sort()) {
    try {
      await listOne(deps, folder.child(name), target);
    } catch (error) {
      if (!(error instanceof AppError)) throw onStorage(error);
      refused.push({ field: name, code: error.code, message: error.message });
    }
  }
  const there = new Set(present);
  const missing = listed.filter((row) => !there.has(row.name));
  if (missing.length > 0) await dropMissing(deps, target, missing);
  return [
    ...refused,
    ...missing.map(({ name }) => {
      return { field: name, code: 'file_missing', message: formatMessage('file_missing', { file: name }) };
    }),
  ];
}

/** A missing folder is empty. Any other error is thrown, because it says nothing about the files. */
async function namesIn(folder: StoragePlace): Promise<string[]> {
  try {
    const entries = await listFolder(folder);
    return entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map((entry) => entry.name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw onStorage(error);
  }
}

/** Converts an error of the file system to "try again" and returns other errors unchanged. */
function onStorage(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).syscall === undefined
    ? error
    : new AppError(503, 'storage_unavailable', undefined, { cause: error });
}

/** Removes missing files from the list, except those that a running task reads. */
async function dropMissing(deps: SyncDeps, target: SyncTarget, missing: readonly ListedFile[]): Promise<void> {
  const { db, filesInUse, now } = deps;
  await withTransaction(db, async (trx) => {
    await trx('project').where({ id: target.projectId }).forUpdate().first('id');
    const inUse = await filesInUse(trx, target.projectId);
    for (const { id, name } of missing.filter((row) => !inUse.has(row.name))) {
      const dropped = await trx('project_file').where({ id }).whereNull('deleted').update({ deleted: now() });
      if (dropped === 0) continue;
      const entry = { actor: target.actor, resourceType: 'file', resourceId: id, resource: name } as const;
      await writeAudit(trx, { ...entry, action: 'delete', changes: [MISSING] }, now());
    }
  });
}

async function listOne(deps: SyncDeps, place: StoragePlace, target: SyncTarget): Promise<void> {
  const { db, now } = deps;
  const { name } = place;
  const problem = fileNameProblem(name);
  if (problem) throw new AppError(400, problem, { file: name });
  const type = fileTypeOf(name);
  if (!type) throw new AppError(400, 'file_format_unsupported', { file: name });
  const { size, mtimeMs } = await statEntry(place);
  if (now().getTime() - mtimeMs < QUIET_MS) throw new AppError(409, 'upload_busy', { file: name });
  await checkContent(place, name, type);
  const sha256 = await hashFile(place);
  const { groupId, projectId, actor } = target;
  try {
    await withTransaction(db, async (trx) => {
      await trx('user_group').where({ id: groupId }).forUpdate().first('id');
      const file = { name, type, size, sha256 };
      const before = await formerRow(trx, projectId, file);
      const use = await readStorageUse(trx, groupId, before?.owner_id ?? actor.userId!);
      if (!fits(use, size)) throw new AppError(413, 'storage_exceeded', { file: name });
      const id = before?.id ?? randomUUID();
      const entry = { actor, resourceType: 'file', resourceId: id, resource: name, action: 'create' } as const;
      if (before) await trx('project_file').where({ id }).update({ deleted: null });
      else
        await trx('project_file').insert({
          id,
          project_id: projectId,
          ...file,
          owner_id: actor.userId!,
          created: now(),
        });
      await writeAudit(trx, { ...entry, changes: changesOfNew(file) }, now());
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'project_file_name') throw error; // an upload of the name has just ended
  }
}

/**
 * Finds the former row of the same bytes under this name. Earlier tasks refer to its id, and its owner is charged for
 * it.
 */
async function formerRow(
  trx: Knex.Transaction,
  projectId: string,
  { name, size, sha256 }: { name: string; size: number; sha256: string },
): Promise<{ id: string; owner_id: string } | undefined> {
  return await trx('project_file')
    .where({ project_id: projectId, name, size, sha256 })
    .whereNotNull('deleted')
    .orderBy('deleted', 'desc')
    .first('id', 'owner_id');
}
