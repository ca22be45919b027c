/** Projects and their files in Postgres. Every read is limited to one group. */
import type { Knex } from 'knex';
import { type PageQuery, pageOf } from '../db/page.ts';
import { runPrepared } from '../db/prepared.ts';
import type { ProjectFileTable, ProjectTable } from '../db/tables/files.ts';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';

export type Project = AnswerOf<'getProject'>;
export type ProjectFile = AnswerOf<'listProjectFiles'>['results'][number];

export type FileRow = ProjectFileTable & { group_id: string };

/** A project with its owner's name and counts of its files. */
type CountedProject = Pick<ProjectTable, 'id' | 'name' | 'created' | 'group_id'> & {
  username: string;
  fastqs: number;
  files: number;
  bytes: number;
};

/** A page without projects still has one row, with the number of all. */
type PageRow = (CountedProject | { id: null }) & { total: number };

const COUNTED = 'p.id, p.name, p.created, p.group_id, u.username, f.fastqs, f.files, f.bytes';
const COUNTS = `LEFT JOIN app_user u ON u.id = p.owner_id
  CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE type = 'fastq') AS fastqs, count(*) AS files,
    coalesce(sum(size), 0) AS bytes FROM project_file WHERE project_id = p.id AND deleted IS NULL) f`;

const projectOf = (row: CountedProject): Project => ({
  id: row.id,
  name: row.name,
  created: row.created.toISOString(),
  fastqs: row.fastqs,
  files: row.files,
  size: row.bytes,
  owner: row.username,
  group: row.group_id,
});

/** Lists projects, newest first, of one group or (for staff) of all. Counts the files only of those on the page. */
export async function listProjects(
  db: Knex,
  groupId: string | undefined,
  { page = 1, page_size: size = 20, offset = (page - 1) * size }: PageQuery,
): Promise<{ count: number; results: Project[] }> {
  const rows = await runPrepared<PageRow>(
    db,
    groupId ? 'projects' : 'all-projects',
    `WITH matching AS (SELECT * FROM project WHERE deleted IS NULL ${groupId ? 'AND group_id = $3' : ''})
     SELECT n.total, ${COUNTED} FROM (SELECT count(*) AS total FROM matching) n
     LEFT JOIN (SELECT * FROM matching ORDER BY created DESC, id LIMIT $1 OFFSET $2) p ON true
     ${COUNTS} ORDER BY p.created DESC, p.id`,
    [size, offset, ...(groupId ? [groupId] : [])],
  );
  return { count: rows[0]!.total, results: rows.flatMap((row) => (row.id === null ? [] : projectOf(row))) };
}

export async function readProject(db: Knex, groupId: string, id: string): Promise<Project> {
  const [row] = await runPrepared<CountedProject>(
    db,
    'project',
    `SELECT ${COUNTED} FROM project p ${COUNTS} WHERE p.id = $1 AND p.group_id = $2 AND p.deleted IS NULL`,
    [id, groupId],
  );
  if (!row) throw new NotFound();
  return projectOf(row);
}

type OwnedFile = ProjectFileTable & { username: string };

const fileOf = (row: OwnedFile): ProjectFile => ({
  id: row.id,
  name: row.name,
  type: row.type,
  size: row.size,
  sha256: row.sha256,
  created: row.created.toISOString(),
  owner: row.username,
});

export async function listFiles(db: Knex, groupId: string, projectId: string, query: PageQuery) {
  const project = await db('project').where({ id: projectId, group_id: groupId }).whereNull('deleted').first('id');
  if (!project) throw new NotFound();
  const matching = db('project_file as f').where('f.project_id', projectId).whereNull('f.deleted');
  const { count, results } = await pageOf<OwnedFile>(matching, query, (rows) =>
    rows.join('app_user as u', 'u.id', 'f.owner_id').select('f.*', 'u.username').orderBy('f.name'),
  );
  return { count, results: results.map(fileOf) };
}

/** Reads one file of the group, and with `projectId` only of that project. */
export async function readFile(db: Knex, groupId: string, fileId: string, projectId?: string): Promise<FileRow> {
  const row: FileRow | undefined = await db('project_file as f')
    .join('project as p', 'p.id', 'f.project_id')
    .where({ 'f.id': fileId, 'p.group_id': groupId })
    .whereNull('f.deleted')
    .whereNull('p.deleted')
    .first('f.*', 'p.group_id');
  if (!row || (projectId && row.project_id !== projectId)) throw new NotFound();
  return row;
}
