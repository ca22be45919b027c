/** Rules for projects and for deleting files. */
import { randomUUID } from 'node:crypto';
import { NAME_MAX, projectNameProblem } from '@seqpanel/crds/account-rules.ts';
import { projectDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import { type Actor, changesBetween, changesOfNew, writeAudit } from '../audit/write-audit.ts';
import { violatedConstraint, withTransaction } from '../db/transaction.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import { removeEntry } from '../storage/change-storage.ts';
import { placeIn } from '../storage/inside-storage.ts';
import type { FilesInUse } from './files-in-use.ts';
import { readFile } from './project-store.ts';

export interface ProjectService {
  create(groupId: string, name: string, actor: Actor): Promise<string>;
  rename(groupId: string, id: string, name: string, actor: Actor): Promise<void>;
  remove(groupId: string, id: string, actor: Actor): Promise<void>;
  removeFile(groupId: string, fileId: string, actor: Actor, projectId?: string): Promise<void>;
}

export function createProjectService(
  db: Knex,
  storageDir: string,
  filesInUse: FilesInUse,
  now: () => Date,
): ProjectService {
  const checkName = (name: string): void => {
    const problem = projectNameProblem(name);
    if (problem) throw new Invalid(problem, { max: NAME_MAX });
  };
  const lock = async (trx: Knex, groupId: string, id: string) => {
    const row = await trx('project').where({ id, group_id: groupId }).whereNull('deleted').forUpdate().first();
    if (!row) throw new NotFound();
    return row as { id: string; name: string };
  };
  return {
    create: async (groupId, name, actor) => {
      checkName(name);
      const id = randomUUID();
      await unique(() =>
        withTransaction(db, async (trx) => {
          await trx('project').insert({ id, group_id: groupId, name, owner_id: actor.userId!, created: now() });
          const changes = changesOfNew({ name, group: groupId });
          await writeAudit(
            trx,
            { actor, resourceType: 'project', resourceId: id, resource: name, action: 'create', changes },
            now(),
          );
        }),
      );
      return id;
    },
    rename: async (groupId, id, name, actor) => {
      checkName(name);
      await unique(() =>
        withTransaction(db, async (trx) => {
          const before = await lock(trx, groupId, id);
          if (before.name === name) throw new Conflict('project_same_name');
          await trx('project').where({ id }).update({ name });
          const changes = changesBetween({ name: before.name }, { name });
          await writeAudit(
            trx,
            { actor, resourceType: 'project', resourceId: id, resource: name, action: 'update', changes },
            now(),
          );
        }),
      );
    },
    remove: async (groupId, id, actor) => {
      await withTransaction(db, async (trx) => {
        const { name } = await lock(trx, groupId, id);
        if ((await filesInUse(trx, id)).size > 0) throw new Conflict('project_in_use');
        const files = await trx('project_file')
          .where({ project_id: id })
          .whereNull('deleted')
          .update({ deleted: now() });
        await trx('upload').where({ project_id: id }).delete();
        await trx('project').where({ id }).update({ deleted: now() });
        const changes = [{ field: 'files', from: files, to: null }];
        await writeAudit(
          trx,
          { actor, resourceType: 'project', resourceId: id, resource: name, action: 'delete', changes },
          now(),
        );
      });
      // Deletes after the commit: a folder without a row is swept, but a row without its folder would be wrong.
      await removeEntry(placeIn(storageDir, projectDir(groupId, id)));
    },
    removeFile: async (groupId, fileId, actor, projectId) => {
      await withTransaction(db, async (trx) => {
        const row = await readFile(trx, groupId, fileId, projectId);
        if ((await filesInUse(trx, row.project_id)).has(row.name))
          throw new Conflict('file_in_use', { file: row.name });
        // Only one of two calls at once deletes. The other would remove a new file of this name from storage.
        const deleted = await trx('project_file').where({ id: fileId }).whereNull('deleted').update({ deleted: now() });
        if (deleted === 0) throw new NotFound();
        const changes = [{ field: 'size', from: row.size, to: null }];
        await writeAudit(
          trx,
          { actor, resourceType: 'file', resourceId: fileId, resource: row.name, action: 'delete', changes },
          now(),
        );
        // Deletes before the commit. An upload of the same name waits for the commit, so its new file cannot be deleted
        // here.
        await removeEntry(placeIn(storageDir, projectDir(groupId, row.project_id)).child(row.name));
      });
    },
  };
}

async function unique<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (violatedConstraint(error) === 'project_name')
      throw new Conflict('project_name_exists', undefined, { cause: error });
    throw error;
  }
}
