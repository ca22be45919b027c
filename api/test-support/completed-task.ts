/** A completed task of two samples, with outputs on storage and rows in the database. */

import { ingestTask } from '../src/background/ingest/ingest-task.ts';
import { type Answer, startApi, type TestApi, type TestApiOptions } from './api.ts';
import { completedStages } from './completed-stages.ts';
import { aLaboratory, type Laboratory } from './laboratory.ts';
import { type TaskOutputs, type TestCall, taskOutputs } from './task-outputs.ts';

/** Calls of S1: two kept, one filtered by the caller, one below half the floor. S2 has only the first. */
export const CALLS: TestCall[] = [
  { pos: 130, ref: 'A', alt: 'G', genotype: '1/1', altForward: 200, altReverse: 200, info: 'NTC=2' },
  { pos: 140, ref: 'CTT', alt: 'C', impact: 'HIGH', gene: 'BRAF' },
  { pos: 150, ref: 'G', alt: 'GA', filter: 'low_vaf;strand_bias', altForward: 6, altReverse: 6 },
  { pos: 160, ref: 'T', alt: 'A', filter: 'below_floor', altForward: 1, altReverse: 0 },
];

export interface CompletedTask {
  lab: Laboratory;
  id: string;
  /** API path of the task. */
  path: string;
  /** Sends a GET to a path below the task's, as the laboratory's user. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
}

/** Writes the outputs of the steps after the reads of S1. QC fails for S2. */
export function restOfOutputs(outputs: TaskOutputs): void {
  outputs.reads('S2', [50, 80]);
  outputs.call('S1', CALLS);
  outputs.call('S2', CALLS.slice(0, 1));
  outputs.annotation(CALLS);
  outputs.postFilter({ S1: CALLS, S2: CALLS.slice(0, 1) });
  outputs.qc([
    { sample: 'S1', metric: 'mean_depth', value: 200, verdict: 'pass' },
    { sample: 'S2', metric: 'mean_depth', value: 65, verdict: 'fail' },
  ]);
  outputs.report();
}

/** Declares the hooks: all tests of a file share an API with a completed task. */
export function completedTask(options: () => TestApiOptions = () => ({})): { api: TestApi; task: CompletedTask } {
  const held = {} as { api: TestApi; task: CompletedTask };
  beforeAll(async () => {
    held.api = await startApi(options());
    held.task = await aCompletedTask(held.api);
  });
  afterAll(() => held.api.close());
  return held;
}

/** Launches and completes a task. QC fails for S2. */
export async function aCompletedTask(api: TestApi): Promise<CompletedTask> {
  const lab = await aLaboratory(api);
  const id = await lab.launch(['S1', 'S2']);
  const outputs = taskOutputs(api.storageDir, id);
  outputs.reads('S1', [100, 300]);
  restOfOutputs(outputs);
  outputs.log('reads-S1.log', Array.from({ length: 1000 }, (_, i) => `line ${i + 1}\n`).join(''));
  outputs.log('post-filter.log', 'one line');
  const mirror = JSON.stringify({ stages: completedStages(2) });
  await api.deps.db('task').where({ id }).update({ status: 'running', phase: 'Completed', revision: 5, mirror });
  await ingestTask({ db: api.deps.db, storageDir: api.storageDir, now: api.deps.now }, id);
  const path = `/api/v1/pivat/${lab.group}/tasks/${id}`;
  return {
    lab,
    id,
    path,
    get: (below, headers = {}) => api.call('GET', `${path}${below}`, { token: lab.user.token, headers }),
  };
}
