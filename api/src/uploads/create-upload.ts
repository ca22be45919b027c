/** Checks before the first byte: names, types, sizes, batch, duplicates and quota. */
import { FILE_NAME_MAX, fileNameProblem } from '@seqpanel/crds/account-rules.ts';
import { fileTypeOf, MAX_FILE_BYTES } from '@seqpanel/crds/file-types.ts';
import { isObjectId } from '@seqpanel/crds/object-ids.ts';
import type { Knex } from 'knex';
import { withTransaction } from '../db/transaction.ts';
import { AppError, Conflict, Invalid, NotFound } from '../errors.ts';
import { fits, readStorageUse } from '../storage/storage-use.ts';
import { dropUpload, type UploadRow } from './upload-rows.ts';

export interface UploadRequest {
  id: string;
  groupId: string;
  ownerId: string;
  project: string | undefined;
  name: string | undefined;
  /** In bytes. Undefined when the client does not know it yet. */
  size: number | undefined;
  /** Number of files the user selected together. */
  batch: number | undefined;
}

/** Rejects a file by its name and size. */
export function checkFile(name: string, size: number): void {
  const problem = fileNameProblem(name);
  if (problem) throw new Invalid(problem, { file: name, max: FILE_NAME_MAX });
  if (!fileTypeOf(name)) throw new Invalid('file_format_unsupported', { file: name });
  if (size === 0) throw new Invalid('file_empty', { file: name });
  if (size > MAX_FILE_BYTES) throw new AppError(413, 'file_too_large', { file: name });
}

/**
 * Reserves the upload's size under the lock of the group's row, so that two uploads cannot exceed the limit together.
 */
export async function reserveUpload(
  db: Knex,
  storageDir: string,
  request: UploadRequest,
  maxFiles: number,
  now: Date,
): Promise<UploadRow> {
  const { id, groupId, ownerId, project, name, size, batch } = request;
  if (!project || !name) throw new Invalid('upload_metadata_missing');
  if (size === undefined) throw new Invalid('upload_size_missing');
  checkFile(name, size);
  if (!isObjectId(project)) throw new NotFound();
  if (batch !== undefined && batch > maxFiles) throw new Invalid('too_many_files', { max: maxFiles });
  return await withTransaction(db, async (trx) => {
    await trx('user_group').where({ id: groupId }).forUpdate().first('id');
    await trx('app_user').where({ id: ownerId }).forUpdate().first('id');
    const found = await trx('project')
      .where({ id: project.toLowerCase(), group_id: groupId })
      .whereNull('deleted')
      .first('id');
    if (!found) throw new NotFound();
    const listed = await trx('project_file').where({ project_id: found.id, name }).whereNull('deleted').first('id');
    if (listed) throw new Conflict('file_exists', { file: name });
    await replaceOlder(trx, storageDir, found.id, name, ownerId);
    const open = await trx('upload')
      .where({ owner_id: ownerId, project_id: found.id })
      .whereNull('file_id')
      .count({ n: '*' })
      .first();
    if (Number(open?.n ?? 0) >= maxFiles) throw new Invalid('too_many_files', { max: maxFiles });
    if (!fits(await readStorageUse(trx, groupId, ownerId), size))
      throw new AppError(413, 'storage_exceeded', { file: name });
    const row = {
      id,
      project_id: found.id,
      group_id: groupId,
      owner_id: ownerId,
      name,
      size,
      created: now,
      touched: now,
    };
    await trx('upload').insert(row);
    return { ...row, file_id: null };
  });
}

/** Replaces the caller's own earlier upload of the file. An upload by another user stays. */
async function replaceOlder(
  trx: Knex,
  storageDir: string,
  project: string,
  name: string,
  owner: string,
): Promise<void> {
  const older = await trx('upload').where({ project_id: project, name }).whereNull('file_id').first();
  if (!older) return;
  if (older.owner_id !== owner) throw new Conflict('file_exists', { file: name });
  await dropUpload(trx, storageDir, older);
}
