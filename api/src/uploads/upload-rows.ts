/** Unfinished uploads: a row each, and the bytes in the project's folder under a hidden name. */
import { projectDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';
import type { UploadTable } from '../db/tables/files.ts';
import { removeEntry } from '../storage/change-storage.ts';
import { placeIn, type StoragePlace } from '../storage/inside-storage.ts';

export type UploadRow = Omit<UploadTable, 'locked_by' | 'locked_until' | 'release_asked'>;

/** Both places of an upload are in the project's folder, so that the last step is a link. */
export interface UploadPaths {
  folder: StoragePlace;
  /** Cannot collide, because file names of users never begin with a dot. */
  temporary: StoragePlace;
  final: StoragePlace;
}

export function pathsOf(
  storageDir: string,
  row: Pick<UploadRow, 'id' | 'group_id' | 'project_id' | 'name'>,
): UploadPaths {
  const folder = placeIn(storageDir, projectDir(row.group_id, row.project_id));
  return { folder, temporary: folder.child(`.upload-${row.id}`), final: folder.child(row.name) };
}

export const readUpload = (db: Knex, id: string): Promise<UploadRow | undefined> => db('upload').where({ id }).first();

/** Drops an unfinished upload: its bytes, its row and its share of the quota. */
export async function dropUpload(db: Knex, storageDir: string, row: UploadRow): Promise<void> {
  await removeEntry(pathsOf(storageDir, row).temporary);
  await db('upload').where({ id: row.id }).whereNull('file_id').delete();
}
