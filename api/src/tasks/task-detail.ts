/** One task in full, with its samples and its launch. */

import type { AnalysisTaskSpec, AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { STAGES } from '@seqpanel/crds/step-contract.ts';
import { logFile, taskDir } from '@seqpanel/crds/storage.ts';
import { CONDITION } from '@seqpanel/crds/task-conditions.ts';
import { isEnded } from '@seqpanel/crds/task-status.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';
import type { Knex } from 'knex';
import type { TaskSampleTable } from '../db/tables/tasks.ts';
import { NotFound } from '../errors.ts';
import type { AnswerOf } from '../feature.ts';
import { readFrozen } from '../storage/frozen-files.ts';
import { folderNameOf } from './task-files.ts';
import { type FullTask, readTaskColumns, taskRowOf } from './task-rows.ts';

export type TaskDetail = AnswerOf<'getTask'>;
export type TaskSample = AnswerOf<'listTaskSamples'>['results'][number];
export type TaskInfo = AnswerOf<'getTaskInfo'>;

/** Reads the row, limited to the group, without spec and definition. */
export async function readTask(db: Knex, groupId: string, id: string): Promise<FullTask> {
  const row = await readTaskColumns(db, groupId, id);
  if (!row) throw new NotFound();
  return row;
}

interface LaunchedTask {
  /** The spec without its samples. */
  args: Omit<AnalysisTaskSpec, 'samples'>;
  /** Samples whose metrics, or variants, are ingested. */
  metrics: number;
  variants: number;
  /** Input files of all samples. */
  files: number;
}

export async function readDetail(db: Knex, groupId: string, id: string, now: Date): Promise<TaskDetail> {
  const row = await readTask(db, groupId, id);
  const {
    rows: [launched],
  } = await db.raw<{ rows: [LaunchedTask] }>(
    `SELECT t.spec - 'samples' AS args, count(*) FILTER (WHERE s.metrics_ready) AS metrics,
       count(*) FILTER (WHERE s.variants_ready) AS variants, coalesce(sum(jsonb_array_length(s.files)), 0) AS files
     FROM task t LEFT JOIN task_sample s ON s.task_id = t.id WHERE t.id = ? GROUP BY t.id`,
    [id],
  );
  const { args } = launched;
  const status = row.mirror;
  const base = taskRowOf(row, now);
  const path = `/${groupId}/tasks/${id}`;
  const folder = taskDir(folderNameOf(row));
  const failures = failuresOf(status);
  return {
    ...base,
    stages: stagesOf(status),
    failures,
    email: row.notify,
    notes: row.notes,
    args,
    stderr: row.status === 'failed' ? (failedStep(status)?.message ?? row.reason) : null,
    celery_id: row.uid,
    folder_name: folderNameOf(row),
    output: folder,
    output_copy: null,
    output_final: folder,
    input_files: launched.files,
    genome: row.genome,
    analysis_types: row.analysis_types,
    pairs: args.pairs ?? [],
    urls: {
      abort: base.can_abort ? `${path}/abort` : null,
      rerun: base.can_rerun ? `/${groupId}/task-rerun/${id}` : null,
      delete_output: null,
      delete_zipfile: null,
      regenerate_output: null,
    },
    autodelete: row.autodelete_date !== null,
    autodelete_date: row.autodelete_date?.toISOString() ?? null,
    results_deleted: row.results_deleted !== null,
    ingested: { metrics: launched.metrics, variants: launched.variants, qc: row.qc_ready },
    warnings: warningsOf(row, status),
  };
}

const failedStep = (status: AnalysisTaskStatus) => stepsOf(status).find(({ step }) => step.state === 'Failed')?.step;

/** Returns the five stages in order. Stages that the operator has not written yet are Pending. */
function stagesOf(status: AnalysisTaskStatus): TaskDetail['stages'] {
  return STAGES.map((name) => {
    const stage = status.stages?.find((candidate) => candidate.name === name);
    return {
      name,
      state: stage?.state ?? 'Pending',
      started: stage?.started ?? null,
      finished: stage?.finished ?? null,
      steps: (stage?.steps ?? []).map((step) => ({
        name: step.name,
        job: step.job ?? null,
        attempt: step.attempt ?? null,
        state: step.state,
        started: step.started ?? null,
        finished: step.finished ?? null,
        samples: step.samples ?? null,
        reason: step.reason ?? null,
        message: step.message ?? null,
      })),
    };
  });
}

function failuresOf(status: AnalysisTaskStatus): TaskDetail['failures'] {
  return (status.failures ?? []).map(({ sample, step, code, message }) => ({
    sample: sample ?? null,
    step: step ?? null,
    code: code ?? null,
    message: message ?? code ?? '',
    log: step ? logFile(step, sample || undefined).replace(/^logs\//, '') : null,
  }));
}

function warningsOf(row: FullTask, status: AnalysisTaskStatus): TaskDetail['warnings'] {
  const conditions = (status.conditions ?? []).filter(
    ({ type, status: held }) => type === CONDITION.progressing && held === 'False',
  );
  return isEnded(row.status) ? [] : conditions.map(({ reason, message }) => ({ code: reason, message, sample: null }));
}

export async function readSamples(db: Knex, groupId: string, id: string): Promise<TaskSample[]> {
  const task = await readTask(db, groupId, id);
  const rows = await db('task_sample').where({ task_id: id }).orderBy('idx');
  const running = ['starting', 'running'].includes(task.status);
  return rows.map((row) => ({
    index: row.idx,
    name: row.name,
    library_id: row.library_id,
    qc_type: row.qc_type,
    role: row.role,
    cnv_normal: row.cnv_normal,
    tumor_content: row.tumor_content,
    well: row.well,
    i7: row.i7,
    i5: row.i5,
    pair: row.pair,
    files: row.files.map((file) => file.name),
    state: stateOf(row, task.status, running),
    failure: row.failure && {
      sample: row.name,
      step: row.failure.step ?? null,
      code: row.failure.code ?? null,
      message: row.failure.message ?? '',
      log: row.failure.step ? logFile(row.failure.step, row.name).replace(/^logs\//, '') : null,
    },
    metrics_ready: row.metrics_ready,
    variants_ready: row.variants_ready,
    variants_kept: row.variants_ready ? row.variants_kept : null,
    qc: row.qc_status,
  }));
}

function stateOf(
  row: Pick<TaskSampleTable, 'failure' | 'variants_ready'>,
  status: string,
  running: boolean,
): TaskSample['state'] {
  if (row.failure) return 'failed';
  if (status === 'completed' || row.variants_ready) return 'done';
  return running ? 'running' : 'waiting';
}

/** Long lists of a panel file that are omitted from the settings. */
const PANEL_LISTS = ['amplicons', 'paralogs', 'hotspots', 'identitySnps', 'notDesigned', 'bisulfite', 'thalassemia'];

export async function readInfo(db: Knex, groupId: string, id: string, now: Date): Promise<TaskInfo> {
  const row = await readTask(db, groupId, id);
  const { frozen } = row;
  const json = async (name: string): Promise<Record<string, unknown> | null> => {
    const content = await readFrozen(db, frozen, name);
    return content ? (JSON.parse(content.toString()) as Record<string, unknown>) : null;
  };
  const [task, samples, files, preset, panel, annotation] = await Promise.all([
    readDetail(db, groupId, id, now),
    readSamples(db, groupId, id),
    db('task_sample').where({ task_id: id }).orderBy('idx').select('name', 'files'),
    json('preset.json'),
    json('panel.json'),
    json('annotation.json'),
  ]);
  return {
    task,
    samples,
    input_files: files.flatMap(({ name, files: own }) =>
      own.map((file) => ({
        sample: name,
        name: file.name,
        path: file.path ?? null,
        read: file.read ?? null,
        lane: file.lane ?? null,
        size: file.size ?? null,
        sha256: file.sha256 ?? null,
      })),
    ),
    preset,
    panel: panel && Object.fromEntries(Object.entries(panel).filter(([key]) => !PANEL_LISTS.includes(key))),
    annotation,
    sha256: Object.fromEntries(Object.entries(frozen).map(([name, { sha256 }]) => [name, sha256])),
  };
}
