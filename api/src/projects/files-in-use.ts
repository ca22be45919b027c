/** Finds files of a project that must not be deleted because unfinished tasks read them. */
import type { Knex } from 'knex';
import { OPEN_SQL } from '../tasks/status-sql.ts';

/** Returns the names of the files. */
export type FilesInUse = (db: Knex, projectId: string) => Promise<ReadonlySet<string>>;

export const readFilesInUse: FilesInUse = async (db, projectId) => {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT DISTINCT f->>'name' AS name
     FROM task t JOIN task_sample s ON s.task_id = t.id, jsonb_array_elements(s.files) f
     WHERE t.project_id = ? AND t.status IN ${OPEN_SQL}`,
    [projectId],
  );
  return new Set(rows.map(({ name }) => name));
};
