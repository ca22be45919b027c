import type { AdminTaskRow, TaskResultRow, Worker, WorkerPool } from '../src/queries/admin.ts';
import { GROUP_A } from './profiles.ts';

const TASK = '77777777-7777-4777-8777-777777777777';

/** A running task of group A on one worker. */
export function buildAdminTask(change: Partial<AdminTaskRow> = {}): AdminTaskRow {
  return {
    id: TASK,
    name: 'run-1',
    date: '2026-11-01T08:00:00.000Z',
    group: { id: GROUP_A, name: 'Lab A' },
    user: 'mei',
    status: 'running',
    stage: 'secondary',
    stage_number: 1,
    step: 'reads',
    attempt: 1,
    panel: { id: null, name: 'Panel', value: 'panel', synthetic: false },
    preset: { id: null, name: 'default', version: 1 },
    pipeline: { name: 'panel', version: '1.0.0' },
    project: { id: null, name: 'p1' },
    source: 'fq',
    samples: { total: 4, done: 1, running: 3, failed: 0, incomplete: 0 },
    reason: null,
    started: '2026-11-01T08:00:01.000Z',
    finished: null,
    duration_seconds: 60,
    launch_id: null,
    external: false,
    qc: { pass: 0, warn: 0, fail: 0 },
    can_abort: true,
    can_rerun: false,
    celery_id: '99999999-9999-4999-8999-999999999999',
    workers: ['node-1'],
    ...change,
  };
}

/** A worker that runs the task of buildAdminTask. */
export function buildWorker(change: Partial<Worker> = {}): Worker {
  return {
    id: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
    server_instance_id: 'i-0123456789',
    created: '2026-11-01T07:00:00.000Z',
    queue_name: 'cpu',
    cloud_status: 'Running',
    register_status: 'Ready',
    register_date: '2026-11-01T07:01:00.000Z',
    ip_address: '10.0.0.7',
    node: 'node-1',
    pool: 'cpu-pool',
    task: { id: TASK, name: 'run-1', group: GROUP_A },
    idle_since: null,
    gone: null,
    ...change,
  };
}

export function buildPool(change: Partial<WorkerPool> = {}): WorkerPool {
  return {
    id: 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb',
    name: 'cpu-pool',
    queue_name: 'cpu',
    instance_type: 'large',
    min: 0,
    max: 4,
    desired: 3,
    ready: 1,
    pending_pods: 5,
    running_pods: 2,
    modified: '2026-11-01T08:00:00.000Z',
    conditions: [{ type: 'Scaling', status: 'True', reason: 'ScalingOut', message: '5 pods wait for 2 nodes' }],
    history: [
      { at: '2026-11-01T07:00:00.000Z', desired: 1, ready: 1 },
      { at: '2026-11-01T07:30:00.000Z', desired: 3, ready: 1 },
    ],
    ...change,
  };
}

/** The first attempt of `reads`, which failed. */
export function buildTaskResult(change: Partial<TaskResultRow> = {}): TaskResultRow {
  return {
    id: 'cccccccc-cccc-4ccc-8ccc-cccccccccccc',
    task_id: TASK,
    date_done: '2026-11-01T08:05:00.000Z',
    status: 'Failed',
    content_type: 'application/json',
    content_encoding: 'utf-8',
    result: null,
    traceback: 'S2: the gzip file is cut',
    hidden: false,
    meta: {
      step: 'reads',
      attempt: 1,
      job: 'job-reads-1',
      reason: 'StepFailed',
      message: 'S2: the gzip file is cut',
      started: '2026-11-01T08:00:00.000Z',
      task: 'run-1',
      group: 'Lab A',
    },
    ...change,
  };
}
