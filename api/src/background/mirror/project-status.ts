/** Maps the status of a resource to the columns of its task's row. Pure. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { STAGES } from '@seqpanel/crds/step-contract.ts';
import { reasonLine, taskReason } from '@seqpanel/crds/task-reasons.ts';
import { currentStep, failedIndexes, samplesDone } from '@seqpanel/crds/task-steps.ts';

export interface TaskColumns {
  /** `running` for a phase of Completed, because the row becomes completed only with its results. */
  status: 'queued' | 'starting' | 'running' | 'aborted' | 'failed';
  phase: string;
  revision: number;
  stage: string | null;
  stage_number: number;
  attempt: number;
  reason: string | null;
  started: Date | null;
  finished: Date | null;
  samples_total: number;
  samples_done: number;
  samples_failed: number;
  samples_incomplete: number;
}

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
  const stage = status.stage || open?.stage || null;
  const over = phase === 'Completed' || phase === 'Failed' || phase === 'Aborted';
  return {
    status: STATUS[phase],
    phase,
    revision: status.revision ?? 0,
    stage,
    stage_number: stage === null ? 0 : STAGES.indexOf(stage as (typeof STAGES)[number]) + 1,
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
