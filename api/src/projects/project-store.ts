/** Projects and their files in Postgres. Every read is limited to one group. */
import type { Knex } from 'knex';
import { type PageQuery, pageOf } from '../db/page.ts';
import type { ProjectFileTable, ProjectTable } from '../db/tables/files.ts';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';

export type Project = AnswerOf<'getProject'>;
export type ProjectFile = AnswerOf<'listProjectFiles'>['results'][number];

export type FileRow = ProjectFileTable & { group_id: string };

/** A project with its owner's name and counts of its files. */
type CountedProject = ProjectTable & { username: string; fastqs: number; files: number; bytes: number };

const projectRows = (db: Knex): Knex.QueryBuilder =>
  db('project as p')
    .join('app_user as u', 'u.id', 'p.owner_id')
    .leftJoin('project_file as f', (on) => on.on('f.project_id', 'p.id').andOnNull('f.deleted'))
    .whereNull('p.deleted')
    .groupBy('p.id', 'u.username')
    .select(
      'p.*',
      'u.username',
      db.raw(`count(f.id) FILTER (WHERE f.type = 'fastq') AS fastqs`),
      db.raw('count(f.id) AS files'),
      db.raw('coalesce(sum(f.size), 0) AS bytes'),
    );

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

/** Lists projects, newest first, of one group or (for staff) of all. */
export async function listProjects(db: Knex, groupId: string | undefined, query: PageQuery) {
  const matching = db('project as p')
    .whereNull('p.deleted')
    .modify((rows) => {
      if (groupId) rows.where('p.group_id', groupId);
    });
  const { count, results } = await pageOf<{ id: string }>(matching, query, (rows) =>
    rows.select('p.id').orderBy('p.created', 'desc').orderBy('p.id'),
  );
  const rows: CountedProject[] = await projectRows(db).whereIn(
    'p.id',
    results.map(({ id }) => id),
  );
  const byId = new Map(rows.map((row) => [row.id, projectOf(row)]));
  // A project may be deleted between the two reads.
  return { count, results: results.flatMap(({ id }) => byId.get(id) ?? []) };
}

export async function readProject(db: Knex, groupId: string, id: string): Promise<Project> {
  const row: CountedProject | undefined = await projectRows(db).where({ 'p.id': id, 'p.group_id': groupId }).first();
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
