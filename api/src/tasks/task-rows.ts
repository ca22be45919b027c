/** Rows of the task list, read by one query. Progress and QC are counted on write, not on read. */

import { isEnded } from '@seqpanel/crds/task-status.ts';
import { currentStep } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import { pageOf } from '../db/page.ts';
import { runPrepared } from '../db/prepared.ts';
import type { TaskTable } from '../db/tables/tasks.ts';
import type { AnswerOf, Call } from '../feature.ts';
import { reasonParts } from './reason-parts.ts';
import { STATUS_ORDER_SQL } from './status-sql.ts';

export type TaskRow = AnswerOf<'listTasks'>['results'][number];
export type AdminTaskRow = AnswerOf<'listAllTasks'>['results'][number];
export type TaskQuery = Call<'listTasks'>['query'];

const STATUS_ORDER = `array_position(${STATUS_ORDER_SQL}, t.status)`;
/** Duration: until now for a running task, until its end for a finished one. */
const DURATION = 'extract(epoch FROM coalesce(t.finished, now()) - coalesce(t.started, t.created))';
const SORTS: Record<string, string> = {
  id: 't.id',
  name: 'lower(t.name)',
  date: 't.created',
  status: STATUS_ORDER,
  stage: 't.stage_number',
  group: 'lower(g.display_name)',
  user: 'lower(t.username)',
  panel: 'lower(t.panel_name)',
  preset: 'lower(t.preset_name)',
  project: 'lower(p.name)',
  samples: 't.samples_total',
  duration: DURATION,
};

/** The planner uses an index for these columns only without NULLS LAST. */
const NEVER_NULL: ReadonlySet<string> = new Set(['id', 'date']);

/** Only queued and running tasks can be aborted [TASK-12]. */
export const isAbortable = (task: { status: string; abort_requested: boolean }): boolean =>
  (task.status === 'queued' || task.status === 'running') && !task.abort_requested;

/** Columns of a list row. Excludes spec and definition, which have up to half a megabyte per task. */
const LISTED = [
  ...['id', 'name', 'created', 'group_id', 'username', 'status', 'stage', 'stage_number', 'attempt', 'reason', 'uid'],
  ...['panel_type_id', 'panel_name', 'panel_value', 'synthetic', 'preset_id', 'preset_name', 'preset_version'],
  ...['pipeline_name', 'pipeline_version', 'project_id', 'source', 'started', 'finished', 'launch_id', 'external'],
  ...['samples_total', 'samples_done', 'samples_failed', 'samples_incomplete', 'qc_pass', 'qc_warn', 'qc_fail'],
  'abort_requested',
] as const satisfies readonly (keyof TaskTable)[];
/** Additional columns for calls on one task. */
const OF_ONE = [
  ...['user_id', 'notify', 'notes', 'genome', 'analysis_types', 'frozen', 'mirror', 'bundle', 'qc_ready', 'controls'],
  ...['qc_summary', 'ingested', 'results_deleted', 'autodelete_date', 'rerun_of', 'phase', 'vanished', 'panel_sha256'],
  'resource_name',
] as const satisfies readonly (keyof TaskTable)[];

/** A row of a list, with the names of its group and project. */
type ListedTask = Pick<TaskTable, (typeof LISTED)[number]> & {
  group_name: string | null;
  project_name: string | null;
  /** Null for a task that completed or was aborted. */
  open_status: TaskTable['mirror'] | null;
};
type AdminTask = ListedTask & { /** Nodes. */ workers: string[] };
/** One task of a group. */
export type FullTask = ListedTask & Pick<TaskTable, (typeof OF_ONE)[number]> & { group_id: string };

/** One text, because knex takes longer to quote forty columns than Postgres to read a page. */
const columnsOf = (names: readonly string[]): string =>
  [
    ...names.map((name) => `t.${name}`),
    'g.display_name AS group_name',
    'p.name AS project_name',
    // Only an open task has a current step, and only it or a failed one has a reason.
    "CASE WHEN t.finished IS NULL OR t.status = 'failed' THEN t.mirror END AS open_status",
  ].join(', ');
const LISTED_COLUMNS = columnsOf(LISTED);
const COLUMNS_OF_ONE = columnsOf([...LISTED, ...OF_ONE]);
const JOINS = 'LEFT JOIN user_group g ON g.id = t.group_id LEFT JOIN project p ON p.id = t.project_id';

const selected = (rows: Knex.QueryBuilder, columns = LISTED_COLUMNS): Knex.QueryBuilder =>
  rows.joinRaw(JOINS).select(rows.client.raw(columns));

/** Reads one task of a group without spec and definition, or undefined. */
export const readTaskColumns = (db: Knex, groupId: string, id: string): Promise<FullTask | undefined> =>
  selected(db('task as t').where({ 't.id': id, 't.group_id': groupId }), COLUMNS_OF_ONE).first();

const sorted = (rows: Knex.QueryBuilder, { sort = 'date', dir }: Pick<TaskQuery, 'sort' | 'dir'>): Knex.QueryBuilder =>
  rows
    .orderByRaw(`${SORTS[sort]} ${dir === 'asc' ? 'ASC' : 'DESC'}${NEVER_NULL.has(sort) ? '' : ' NULLS LAST'}`)
    .orderBy('t.id');

/** Filters that both lists of tasks accept. */
type Filters = TaskQuery & Pick<Call<'listAllTasks'>['query'], 'group'>;

export async function listTaskRows(
  db: Knex,
  groupId: string,
  caller: { username: string },
  query: TaskQuery,
  now: Date,
): Promise<{ count: number; results: TaskRow[] }> {
  const { count, results } = isUsual(query)
    ? await readUsualPage(db, groupId, query.page_size)
    : await readPage(db, groupId, caller, query);
  return { count, results: results.map((row) => taskRowOf(row, now)) };
}

function readPage(db: Knex, groupId: string, caller: { username: string }, query: TaskQuery) {
  const matching = db('task as t').where('t.group_id', groupId);
  filter(matching, query, caller);
  return pageOf<ListedTask>(matching, query, (rows) => sorted(selected(rows), query));
}

/** The console's page sizes. Others are not prepared, because each is a statement of its own. */
const USUAL_SIZES: ReadonlySet<number> = new Set([5, 10, 15, 20, 30, 50, 100]);

/** Whether the page is as the console opens it: the first one without filters, newest first. */
const isUsual = ({ page = 1, page_size = 20, sort = 'date', dir = 'desc', ...filters }: TaskQuery): boolean =>
  page === 1 &&
  USUAL_SIZES.has(page_size) &&
  sort === 'date' &&
  dir === 'desc' &&
  !Object.values(filters).some(Boolean);

/** The limit is part of the text, because the planner does not use the index for an unknown limit. */
async function readUsualPage(db: Knex, groupId: string, size = 20): Promise<{ count: number; results: ListedTask[] }> {
  const results = await runPrepared<ListedTask & { total: number }>(
    db,
    `tasks-${size}`,
    `SELECT ${LISTED_COLUMNS}, (SELECT count(*) FROM task WHERE group_id = $1) AS total
     FROM task t ${JOINS} WHERE t.group_id = $1 ORDER BY t.created DESC, t.id LIMIT ${size}`,
    [groupId],
  );
  return { count: results[0]?.total ?? 0, results };
}

/** Lists tasks of all groups with their nodes and the resource's uid. */
export async function listAllTaskRows(
  db: Knex,
  caller: { username: string },
  query: Call<'listAllTasks'>['query'],
  now: Date,
): Promise<{ count: number; results: AdminTaskRow[] }> {
  const matching = db('task as t');
  filter(matching, query, caller);
  const { count, results } = await pageOf<AdminTask>(matching, query, (rows) =>
    sorted(withWorkers(selected(rows)), query),
  );
  return { count, results: results.map((row) => adminRowOf(row, now)) };
}

/** Reads one task of any group. The task exists. */
export async function readAnyTaskRow(db: Knex, id: string, now: Date): Promise<AdminTaskRow> {
  return adminRowOf(await withWorkers(selected(db('task as t').where('t.id', id))).first(), now);
}

const withWorkers = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  rows.select(
    rows.client.raw(
      'ARRAY(SELECT w.node FROM worker w WHERE w.task = t.id::text AND w.gone IS NULL ORDER BY w.node) AS workers',
    ),
  );

const adminRowOf = (row: AdminTask, now: Date): AdminTaskRow => ({
  ...taskRowOf(row, now),
  celery_id: row.uid,
  workers: row.workers,
});

/** Returns the rows in the order of the ids. */
export async function readTaskRows(db: Knex, ids: readonly string[], now: Date): Promise<TaskRow[]> {
  const rows: ListedTask[] = await selected(db('task as t').whereIn('t.id', [...ids]));
  const byId = new Map(rows.map((row) => [row.id, taskRowOf(row, now)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function filter(rows: Knex.QueryBuilder, query: Filters, caller: { username: string }): void {
  const list = (text: string): string[] =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  if (query.group) rows.where('t.group_id', query.group);
  if (query.status) rows.whereIn('t.status', list(query.status));
  if (query.stage) rows.whereIn('t.stage', list(query.stage));
  if (query.panel) rows.where('t.panel_value', query.panel);
  if (query.owner) rows.where('t.username', query.owner === 'me' ? caller.username : query.owner);
  if (query.project) rows.whereRaw('t.project_id::text = ?', [query.project.toLowerCase()]);
  if (query.from) rows.where('t.created', '>=', `${query.from}T00:00:00Z`);
  if (query.to) rows.whereRaw("t.created < ?::date + interval '1 day'", [query.to]);
  if (query.qc_failed) rows.where('t.qc_fail', '>', 0);
  if (query.launch) rows.where('t.launch_id', query.launch);
  if (query.q?.trim()) rows.whereIn('t.id', (found) => searchedIds(found, query.q!.trim()));
}

/** A shorter text has no trigram and is compared only with complete sample names. */
const TRIGRAM = 3;

/**
 * Finds ids of tasks whose name, id, resource or sample name contains the text, ignoring case. Each uses its own index.
 */
function searchedIds(found: Knex.QueryBuilder, text: string): void {
  const part = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  found.select('id').from('task').whereRaw('name ILIKE ?', [part]);
  found.union((ids) => ids.select('id').from('task').whereRaw('id::text ILIKE ?', [part]));
  found.union((ids) => ids.select('id').from('task').whereRaw('uid::text ILIKE ?', [part]));
  const sample = text.length < TRIGRAM ? 'lower(name) = lower(?)' : 'name ILIKE ?';
  found.union((ids) =>
    ids
      .select('task_id')
      .from('task_sample')
      .whereRaw(sample, [text.length < TRIGRAM ? text : part]),
  );
}

export function taskRowOf(row: ListedTask, now: Date): TaskRow {
  const running = ['starting', 'running'].includes(row.status);
  const from = row.started ?? row.created;
  const until = row.finished ?? (running ? now : null);
  return {
    id: row.id,
    name: row.name,
    date: row.created.toISOString(),
    group: { id: row.group_id ?? '', name: row.group_name ?? '' },
    user: row.username,
    status: row.status,
    stage: row.stage,
    stage_number: row.stage_number,
    step: row.open_status && !row.finished ? (currentStep(row.open_status)?.step.name ?? null) : null,
    attempt: row.attempt,
    panel: { id: row.panel_type_id, name: row.panel_name, value: row.panel_value, synthetic: row.synthetic },
    preset: { id: row.preset_id, name: row.preset_name, version: row.preset_version },
    pipeline: { name: row.pipeline_name, version: row.pipeline_version },
    project: { id: row.project_id, name: row.project_name ?? '' },
    source: row.source,
    samples: {
      total: row.samples_total,
      done: row.samples_done,
      running: running ? Math.max(0, row.samples_total - row.samples_done - row.samples_failed) : 0,
      failed: row.samples_failed,
      incomplete: row.samples_incomplete,
    },
    reason: row.reason,
    reason_of: reasonParts(row.reason, row.open_status),
    started: row.started?.toISOString() ?? null,
    finished: row.finished?.toISOString() ?? null,
    duration_seconds: until ? Math.max(0, Math.round((until.getTime() - from.getTime()) / 1000)) : null,
    launch_id: row.launch_id,
    external: row.external,
    qc: { pass: row.qc_pass, warn: row.qc_warn, fail: row.qc_fail },
    can_abort: isAbortable(row),
    can_rerun: isEnded(row.status) && !row.external,
  };
}
