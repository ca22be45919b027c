/** What a task's row shows of its resource's status. Pure. */

import type { AnalysisTaskStatus, StageStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { parseRanges, STAGES } from '@seqpanel/crds/step-contract.ts';

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

const SAMPLE_STEPS = new Set(['reads', 'call']);
const isOver = ({ state }: { state: string }): boolean => state === 'Succeeded' || state === 'Skipped';

/** `total`: samples of the spec. */
export function projectStatus(status: AnalysisTaskStatus, total: number): TaskColumns {
  const phase = status.phase ?? 'Queued';
  const stages = status.stages ?? [];
  const open = openStep(stages);
  const failed = failedIndexes(status).length;
  const stage = status.stage || open?.stage.name || null;
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
    samples_done: phase === 'Completed' ? total - failed : doneOf(stages, open, total - failed),
    samples_failed: failed,
    samples_incomplete: status.samples?.incomplete ?? failed,
  };
}

export const failedIndexes = (status: AnalysisTaskStatus): number[] => parseRanges(status.failedSamples ?? '');

function openStep(stages: readonly StageStatus[]): { stage: StageStatus; step: StepStatus } | undefined {
  for (const stage of stages) {
    const step = stage.steps?.find((candidate) => !isOver(candidate));
    if (step) return { stage, step };
  }
  return undefined;
}

/** Samples that the open step is done with; between two sample steps, and after them, all that are alive. */
function doneOf(stages: readonly StageStatus[], open: ReturnType<typeof openStep>, alive: number): number {
  if (!open) return stages.length === 0 ? 0 : alive;
  if (SAMPLE_STEPS.has(open.step.name)) return open.step.samples?.done ?? 0;
  return alive;
}

/** One line: the first failure with its sample and step, else what a condition says of standing still. */
function reasonOf(status: AnalysisTaskStatus): string | null {
  const stopped = status.stages?.flatMap(({ steps = [] }) => steps).find(({ state }) => state === 'Failed');
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
