/** Finishes an upload: hash and content check, then link and listed file in one transaction. */
import { createHash, randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { fileTypeOf } from '@seqpanel/crds/file-types.ts';
import type { Knex } from 'knex';
import { type Actor, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { AppError, Conflict } from '../errors.ts';
import { linkFile, removeEntry, syncFile, syncFolder } from '../storage/change-storage.ts';
import { codeOf, openToRead, type StoragePlace, statEntry } from '../storage/inside-storage.ts';
import { fits, readStorageUse } from '../storage/storage-use.ts';
import { checkContent } from './content/check-content.ts';
import { dropUpload, pathsOf, readUpload, type UploadRow } from './upload-rows.ts';

export interface FinishDeps {
  db: Knex;
  storageDir: string;
  now: () => Date;
}

/**
 * Lists a complete upload as a file of its project, once even if called twice or by two processes. A rejected upload is
 * removed, row and bytes, and can be uploaded again. `known` is the SHA-256 if it was computed during the upload.
 */
export async function finishUpload(
  deps: FinishDeps,
  row: UploadRow,
  known: string | undefined,
  actor: Actor,
): Promise<void> {
  const { db, storageDir } = deps;
  const paths = pathsOf(storageDir, row);
  try {
    await checkContent(paths.temporary, row.name, fileTypeOf(row.name)!);
    const sha256 = known ?? (await hashFile(paths.temporary));
    await syncFile(paths.temporary);
    await listFile(deps, row, sha256, actor);
  } catch (error) {
    const now = await readUpload(db, row.id);
    if (now?.file_id) return; // another process was first
    if (error instanceof AppError) await dropUpload(db, storageDir, row);
    throw error;
  }
  await removeEntry(paths.temporary);
}

async function listFile(
  { db, storageDir, now }: FinishDeps,
  row: UploadRow,
  sha256: string,
  actor: Actor,
): Promise<void> {
  const paths = pathsOf(storageDir, row);
  try {
    await withTransaction(db, async (trx) => {
      const project = await trx('project').where({ id: row.project_id }).whereNull('deleted').forShare().first('id');
      const current = await trx<UploadRow>('upload').where({ id: row.id }).forUpdate().first();
      if (current?.file_id) return;
      if (!current || !project) throw new AppError(404, 'not_found');
      const use = await readStorageUse(trx, row.group_id, row.owner_id);
      if (!fits(use, 0)) throw new AppError(413, 'storage_exceeded', { file: row.name });
      const id = randomUUID();
      const file = { name: row.name, type: fileTypeOf(row.name)!, size: row.size, sha256 };
      await trx('project_file').insert({
        id,
        project_id: row.project_id,
        ...file,
        owner_id: row.owner_id,
        created: now(),
      });
      await trx('upload').where({ id: row.id }).update({ file_id: id });
      const entry = { actor, resourceType: 'file', resourceId: id, resource: row.name } as const;
      await writeAudit(trx, { ...entry, action: 'create', changes: changesOfNew(file) }, now());
      await putInPlace(paths.temporary, paths.final, row.name);
      await syncFolder(paths.folder);
    });
  } catch (error) {
    if (violatedConstraint(error) === 'project_file_name')
      throw new Conflict('file_exists', { file: row.name }, { cause: error });
    throw error;
  }
}

/** Links instead of renaming, so that it never replaces a file that was put there by other means. */
async function putInPlace(temporary: StoragePlace, final: StoragePlace, name: string): Promise<void> {
  try {
    await linkFile(temporary, final);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const [a, b] = await Promise.all([statEntry(temporary), statEntry(final)]);
    // Our own link, from a process that died before its commit.
    if (a.ino !== b.ino || a.dev !== b.dev) throw new Conflict('file_exists', { file: name }, { cause: error });
  }
}

export async function hashFile(file: StoragePlace): Promise<string> {
  const hash = createHash('sha256');
  await pipeline((await openToRead(file)).createReadStream({ highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
