/** Uploads on their way: a row each, its bytes beside the project's files under a hidden name. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir } from '@seqpanel/crds/storage.ts';
import type { Knex } from 'knex';

export interface UploadRow {
  id: string;
  project_id: string;
  group_id: string;
  owner_id: string;
  name: string;
  /** Bytes, fixed when it is created. */
  size: number;
  created: Date;
  touched: Date;
  file_id: string | null;
}

/** Paths of an upload: both in the project's folder, so that the last step is a rename. */
export interface UploadPaths {
  folder: string;
  /** File names that users may give never begin with a dot. */
  temporary: string;
  final: string;
}

export function pathsOf(
  storageDir: string,
  row: Pick<UploadRow, 'id' | 'group_id' | 'project_id' | 'name'>,
): UploadPaths {
  const folder = join(storageDir, projectDir(row.group_id, row.project_id));
  return { folder, temporary: join(folder, `.upload-${row.id}`), final: join(folder, row.name) };
}

export const readUpload = (db: Knex, id: string): Promise<UploadRow | undefined> => db('upload').where({ id }).first();

/** Gives up an unfinished upload: its bytes and its row, and with that its claim on the quota. */
export async function dropUpload(db: Knex, storageDir: string, row: UploadRow): Promise<void> {
  await rm(pathsOf(storageDir, row).temporary, { force: true });
  await db('upload').where({ id: row.id }).whereNull('file_id').delete();
}
