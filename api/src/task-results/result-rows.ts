/** Rows of the admin's list of task results. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { stepDir, taskDir } from '@seqpanel/crds/storage.ts';
import { isSampleStep, stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import { pageOf } from '../db/page.ts';
import type { TaskResultTable, TaskTable } from '../db/tables/tasks.ts';
import type { AnswerOf, Call } from '../feature.ts';
import { folderNameOf } from '../tasks/task-files.ts';
import { containing, uuidRange } from './search.ts';

export type TaskResultRow = AnswerOf<'listAllTaskResults'>['results'][number];

const STATE_ORDER = "array_position(ARRAY['Running','Failed','Aborted','Skipped','Succeeded'], r.state)";
const SORTS: Record<string, string> = {
  id: 'r.id',
  task_id: 'r.task_id',
  date_done: 'r.finished',
  status: STATE_ORDER,
  step: 'r.step',
};

interface StepOfTask {
  step: string;
  /** From the task's status. */
  stages: AnalysisTaskStatus['stages'] | null;
}

/** Whether the row's step has outputs and logs per sample. */
export const isOfSamples = ({ step: name, stages }: StepOfTask): boolean =>
  stepsOf({ stages: stages ?? [] }).some(({ step }) => step.name === name && isSampleStep(step));

/** A left join, so that Postgres drops the unused task from a count. The task always exists. */
const joined = (db: Knex): Knex.QueryBuilder =>
  db('task_result as r').leftJoin('task as t', 't.id', 'r.task_id').leftJoin('user_group as g', 'g.id', 't.group_id');

const selected = (rows: Knex.QueryBuilder): Knex.QueryBuilder =>
  rows.select(
    'r.*',
    't.name as task_name',
    't.results_deleted',
    't.resource_name',
    'g.display_name as group_name',
    rows.client.raw("t.mirror->'stages' AS stages"),
    rows.client.raw(
      '(SELECT max(l.attempt) FROM task_result l WHERE l.task_id = r.task_id AND l.step = r.step) = r.attempt AS is_last',
    ),
  );

export async function listResultRows(
  db: Knex,
  query: Call<'listAllTaskResults'>['query'],
): Promise<{ count: number; results: TaskResultRow[] }> {
  const matching = joined(db);
  if (query.status) matching.whereIn('r.state', query.status.split(','));
  if (query.failed) matching.whereRaw("(r.state = 'Failed' OR r.reason = 'SamplesFailed')");
  if (query.q) {
    const { q } = query;
    const ids = uuidRange(q);
    matching.where((any) => {
      any.where('r.step', 'ILIKE', containing(q));
      any.orWhereIn('r.task_id', db('task').where('name', 'ILIKE', containing(q)).select('id'));
      if (ids) any.orWhereBetween('r.task_id', ids).orWhereBetween('r.id', ids);
    });
  }
  const { count, results } = await pageOf<ResultRow>(matching, query, (rows) => {
    const down = query.dir !== 'asc';
    return selected(rows)
      .orderByRaw(`${SORTS[query.sort ?? 'date_done']} ${down ? 'DESC NULLS FIRST' : 'ASC NULLS LAST'}`)
      .orderBy('r.id');
  });
  return { count, results: results.map(resultRowOf) };
}

/** With the names of its task and group. */
export type ResultRow = TaskResultTable &
  Pick<TaskTable, 'results_deleted' | 'resource_name'> &
  StepOfTask & { task_name: string; group_name: string | null /** No later attempt of the step. */; is_last: boolean };

export async function readResult(db: Knex, id: string): Promise<ResultRow | undefined> {
  return await selected(joined(db).where('r.id', id)).first();
}

export async function readResultsOf(db: Knex, taskId: string): Promise<ResultRow[]> {
  return await selected(joined(db).where('r.task_id', taskId)).orderBy(['r.started', 'r.step', 'r.attempt']);
}

export function resultRowOf(row: ResultRow): TaskResultRow {
  const failed = row.state === 'Failed' || row.reason === 'SamplesFailed';
  return {
    id: row.id,
    task_id: row.task_id,
    date_done: row.finished?.toISOString() ?? null,
    status: row.state,
    content_type: 'application/json',
    content_encoding: 'utf-8',
    result: hasResult(row)
      ? `${taskDir(folderNameOf({ id: row.task_id, resource_name: row.resource_name }))}/${stepDir(row.step, isOfSamples(row) ? '*' : undefined)}/result.json`
      : null,
    traceback: failed ? (row.message ?? row.reason) : null,
    hidden: row.results_deleted !== null,
    meta: {
      step: row.step,
      attempt: row.attempt,
      job: row.job,
      reason: row.reason,
      message: row.message,
      started: row.started?.toISOString() ?? null,
      task: row.task_name,
      group: row.group_name,
    },
  };
}

/** A step's folder holds the files of its last attempt. Samples have their own, available as soon as each is done. */
const hasResult = (row: ResultRow): boolean =>
  row.results_deleted === null && row.is_last && (row.state === 'Succeeded' || isOfSamples(row));
