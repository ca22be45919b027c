/** Which files of a project a task that has not ended reads: they must stay. */
import type { Knex } from 'knex';

/** Names of files of the project. */
export type FilesInUse = (db: Knex, projectId: string) => Promise<ReadonlySet<string>>;

export const readFilesInUse: FilesInUse = async (db, projectId) => {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT DISTINCT f->>'name' AS name
     FROM task t JOIN task_sample s ON s.task_id = t.id, jsonb_array_elements(s.files) f
     WHERE t.project_id = ? AND t.status IN ('queued', 'starting', 'running')`,
    [projectId],
  );
  return new Set(rows.map(({ name }) => name));
};
