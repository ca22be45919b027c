/** Brings a project's list in line with its folder: for files that came by SFTP or a copy, of any size. */
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileNameProblem } from '@seqpanel/crds/account-rules.ts';
import { fileTypeOf } from '@seqpanel/crds/file-types.ts';
import { formatMessage } from '@seqpanel/crds/messages.ts';
import { projectDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { type Actor, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { AppError, type Problem } from '../errors.ts';
import { checkContent } from '../uploads/content/check-content.ts';
import { hashFile } from '../uploads/finish-upload.ts';
import { fits, readStorageUse } from './storage-use.ts';

/** A file that changed less than this ago may still be written. */
const QUIET_MS = 5_000;

export interface SyncTarget {
  groupId: string;
  projectId: string;
  actor: Actor;
}

/** Returns what could not be listed, each with its reason. */
export async function syncFiles(db: Knex, storageDir: string, target: SyncTarget, now: () => Date): Promise<Problem[]> {
  const folder = join(storageDir, projectDir(target.groupId, target.projectId));
  const present = (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => entry.name);
  const listed = await db('project_file')
    .where({ project_id: target.projectId })
    .whereNull('deleted')
    .select('id', 'name');
  const known = new Set(listed.map(({ name }) => name));
  const refused: Problem[] = [];
  for (const name of present.filter((file) => !known.has(file)).sort()) {
    try {
      await listOne(db, join(folder, name), name, target, now);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push({ field: name, code: error.code, message: error.message });
    }
  }
  const there = new Set(present);
  for (const { id, name } of listed.filter((row) => !there.has(row.name))) {
    await withTransaction(db, async (trx) => {
      await trx('project_file').where({ id }).whereNull('deleted').update({ deleted: now() });
      const changes = [{ field: 'missing_on_storage', from: false, to: true }];
      await writeAudit(
        trx,
        { actor: target.actor, resourceType: 'file', resourceId: id, resource: name, action: 'delete', changes },
        now(),
      );
    });
    refused.push({ field: name, code: 'file_missing', message: formatMessage('file_missing', { file: name }) });
  }
  return refused;
}

async function listOne(db: Knex, path: string, name: string, target: SyncTarget, now: () => Date): Promise<void> {
  const problem = fileNameProblem(name);
  if (problem) throw new AppError(400, problem, { file: name });
  const type = fileTypeOf(name);
  if (!type) throw new AppError(400, 'file_format_unsupported', { file: name });
  const { size, mtimeMs } = await stat(path);
  if (now().getTime() - mtimeMs < QUIET_MS) throw new AppError(409, 'upload_busy', { file: name });
  await checkContent(path, name, type);
  const sha256 = await hashFile(path);
  const { groupId, projectId, actor } = target;
  try {
    await withTransaction(db, async (trx) => {
      await trx('user_group').where({ id: groupId }).forUpdate().first('id');
      const use = await readStorageUse(trx, groupId, actor.userId!);
      if (!fits(use, size)) throw new AppError(413, 'storage_exceeded', { file: name });
      const id = randomUUID();
      const file = { name, type, size, sha256 };
      await trx('project_file').insert({ id, project_id: projectId, ...file, owner_id: actor.userId, created: now() });
      await writeAudit(
        trx,
        { actor, resourceType: 'file', resourceId: id, resource: name, action: 'create', changes: changesOfNew(file) },
        now(),
      );
    });
  } catch (error) {
    if (violatedConstraint(error) !== 'project_file_name') throw error; // an upload of the name has just ended
  }
}
