/** What a task's row shows of its resource's status. Pure. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { STAGES } from '@seqpanel/crds/step-contract.ts';
import { currentStep, failedIndexes, samplesDone, stepsOf } from '@seqpanel/crds/task-steps.ts';

export interface TaskColumns {
  /** `running` for a phase of Completed: the row becomes completed with its results (DESIGN 1). */
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

/** `total`: samples of the spec. */
export function projectStatus(status: AnalysisTaskStatus, total: number): TaskColumns {
  const phase = status.phase ?? 'Queued';
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
    reason: reasonOf(status),
    started: status.started ? new Date(status.started) : null,
    // A Completed task is finished when its results are in.
    finished: over && phase !== 'Completed' && status.finished ? new Date(status.finished) : null,
    samples_total: status.samples?.total ?? total,
    samples_done: phase === 'Completed' ? total - failed : samplesDone(status, total - failed),
    samples_failed: failed,
    samples_incomplete: status.samples?.incomplete ?? failed,
  };
}

/** One line: the first failure with its sample and step, else what a condition says of standing still. */
function reasonOf(status: AnalysisTaskStatus): string | null {
  const stopped = stepsOf(status).find(({ step }) => step.state === 'Failed')?.step;
  if (status.phase === 'Failed') {
    const failure = status.failures?.find(({ step }) => step === stopped?.name) ?? status.failures?.[0];
    if (failure) {
      const where = [failure.step, failure.sample && `sample ${failure.sample}`].filter(Boolean).join(', ');
      return where ? `${where}: ${failure.message ?? failure.code ?? ''}` : (failure.message ?? null);
    }
    if (stopped) return `${stopped.name}: ${stopped.message || stopped.reason || 'failed'}`;
  }
  const condition = status.conditions?.find(({ type, status: held }) => type === 'Progressing' && held === 'False');
  if (condition && status.phase !== 'Completed' && status.phase !== 'Aborted')
    return condition.message || condition.reason;
  return null;
}
