/** Maps the status of a resource to the columns of its task's row. Pure. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { STAGES, type StageName } from '@seqpanel/crds/step-contract.ts';
import { reasonLine, taskReason } from '@seqpanel/crds/task-reasons.ts';
import { currentStep, failedIndexes, samplesDone } from '@seqpanel/crds/task-steps.ts';
import type { TaskTable } from '../../db/tables/tasks.ts';

export type TaskColumns = Pick<
  TaskTable,
  | 'status'
  | 'phase'
  | 'revision'
  | 'stage'
  | 'stage_number'
  | 'attempt'
  | 'reason'
  | 'started'
  | 'finished'
  | 'samples_total'
  | 'samples_done'
  | 'samples_failed'
  | 'samples_incomplete'
>;

/** A row becomes completed only with its results, so the phase Completed is still `running`. */
const STATUS = {
  Queued: 'queued',
  Starting: 'starting',
  Running: 'running',
  Completed: 'running',
  Aborted: 'aborted',
  Failed: 'failed',
} as const;

/** `total`: number of samples in the spec. */
export function projectStatus(status: AnalysisTaskStatus, total: number): TaskColumns {
  const phase = status.phase ?? 'Queued';
  const reason = taskReason(status);
  const open = currentStep(status);
  const failed = failedIndexes(status).length;
  const stage = (status.stage || open?.stage || null) as StageName | null;
  const over = phase === 'Completed' || phase === 'Failed' || phase === 'Aborted';
  return {
    status: STATUS[phase],
    phase,
    revision: status.revision ?? 0,
    stage,
    stage_number: stage === null ? 0 : STAGES.indexOf(stage) + 1,
    attempt: open?.step.attempt ?? 1,
    reason: reason ? reasonLine(reason) : null,
    started: status.started ? new Date(status.started) : null,
    // A completed task is finished when its results are ingested.
    finished: over && phase !== 'Completed' && status.finished ? new Date(status.finished) : null,
    samples_total: status.samples?.total ?? total,
    samples_done: phase === 'Completed' ? total - failed : samplesDone(status, total - failed),
    samples_failed: failed,
    samples_incomplete: status.samples?.incomplete ?? failed,
  };
}
