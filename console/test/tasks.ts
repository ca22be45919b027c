import type { TaskSummary } from '../src/queries/results.ts';
import type { TaskDetail } from '../src/queries/tasks.ts';
import { buildAdminTask } from './admin.ts';

/** A completed task of two samples. `change` replaces fields. */
export function buildTask(change: Partial<TaskDetail> = {}): TaskDetail {
  const { celery_id: _uid, workers: _workers, ...row } = buildAdminTask();
  return {
    ...row,
    status: 'completed',
    stage: 'report',
    stage_number: 5,
    step: null,
    samples: { total: 2, done: 2, running: 0, failed: 0, incomplete: 0 },
    qc: { pass: 2, warn: 0, fail: 0 },
    finished: '2026-11-01T08:01:00.000Z',
    can_abort: false,
    can_rerun: true,
    stages: [],
    failures: [],
    email: [],
    notes: '',
    args: null,
    stderr: null,
    celery_id: null,
    folder_name: 'run-1',
    output: '',
    output_copy: null,
    output_final: '',
    input_files: 4,
    genome: 'hg19',
    analysis_types: ['germline'],
    pairs: [],
    urls: { abort: null, rerun: null, delete_output: null, delete_zipfile: null, regenerate_output: null },
    autodelete: false,
    autodelete_date: null,
    results_deleted: false,
    ingested: { metrics: 2, variants: 2, qc: true },
    warnings: [],
    ...change,
  };
}

/** The summary of buildTask's task. */
export function buildSummary(change: Partial<TaskSummary> = {}): TaskSummary {
  return {
    status: 'completed',
    samples: { total: 2, done: 2, failed: 0 },
    qc: { ready: true, pass: 2, warn: 0, fail: 0 },
    variants: { all: 0, called: 0, kept: 0 },
    attention: [],
    pairs: [],
    controls: null,
    report: null,
    provenance: { tools: [], sources: [] },
    ...change,
  };
}
