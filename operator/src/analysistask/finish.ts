/** The three ends of a task, and the work after its end. */

import { type AnalysisTask, type AnalysisTaskStatus, INGESTED_ANNOTATION, type Phase } from '@seqpanel/crds/kinds.ts';
import type { Stored } from '@seqpanel/crds/kube/objects.ts';
import { CONDITION, REASON } from '@seqpanel/crds/task-conditions.ts';
import type { Action } from '../jobs/act.ts';
import { findCondition, timestamp } from '../kube/conditions.ts';
import { cleanUp } from './cleanup.ts';
import type { Decision, Input } from './input.ts';
import { specName } from './names.ts';
import { setCondition, setProgressing } from './task-conditions.ts';
import { isFinished, isStepEnd, stageState } from './task-state.ts';

export interface End {
  phase: Extract<Phase, 'Completed' | 'Failed' | 'Aborted'>;
  reason: string;
  message: string;
}

/** Sets the status to the end. Unfinished steps stay Pending, or become Aborted when the task was aborted. */
export function finish(input: Input, status: AnalysisTaskStatus, end: End): void {
  const { task, now } = input;
  status.phase = end.phase;
  status.finished = timestamp(now);
  for (const stage of status.stages ?? []) {
    for (const step of stage.steps ?? []) {
      if (end.phase !== 'Aborted' || isStepEnd(step.state)) continue;
      if (step.state === 'Running') step.finished = timestamp(now);
      step.state = 'Aborted';
    }
    const state = stageState(stage.steps ?? []);
    if (state !== stage.state && stage.started) stage.finished ??= timestamp(now);
    stage.state = state;
  }
  const { reason, message } = end;
  const truth = (phase: Phase) => (end.phase === phase ? 'True' : 'False');
  setCondition(task, status, { type: CONDITION.completed, status: truth('Completed'), reason, message }, now);
  setCondition(task, status, { type: CONDITION.failed, status: truth('Failed'), reason, message }, now);
  setProgressing(task, status, 'False', reason, message, now);
}

export const completed = (status: AnalysisTaskStatus): End => {
  const { total = 0, incomplete = 0 } = status.samples ?? {};
  const message =
    incomplete === 0 ? `All ${total} samples are done.` : `${total - incomplete} of ${total} samples are done.`;
  return { phase: 'Completed', reason: REASON.completed, message };
};

/**
 * Reports whether the resource was restored from a backup without its status: the api annotates a task only after its
 * end. Running it again would overwrite results that the database describes.
 */
export const isRestored = ({ metadata, status }: Stored<AnalysisTask>): boolean =>
  !status?.started && metadata.annotations?.[INGESTED_ANNOTATION] !== undefined;

export const restored: End = {
  phase: 'Completed',
  reason: REASON.restored,
  message: 'Restored from a backup. Its results are in the database, so the task did not run again.',
};

/**
 * Handles a finished task: remaining Jobs, its spec file, the condition Ingested, and finally its deletion. A task with
 * results is kept for the retention time after ingest, one without results after its end.
 */
export function afterEnd(input: Input, status: AnalysisTaskStatus): Decision {
  const { task, settings, now } = input;
  const after: Action[] = cleanUp(input, status);
  // Jobs remain for minutes after their end. While one remains, the spec file may remain too.
  if (input.jobs.length > 0) after.push({ do: 'deleteConfigMap', name: specName(task.metadata.name) });
  if (lacksIngested(task)) {
    const message = `The results are in the database (fingerprint ${task.metadata.annotations?.[INGESTED_ANNOTATION]}).`;
    setCondition(task, status, { type: CONDITION.ingested, status: 'True', reason: 'Ingested', message }, now);
  }
  const left = timeLeft(task, status, settings, now);
  if (left === undefined) return { before: [], status, after };
  if (left <= 0) return { before: [], status, after: [...after, { do: 'deleteTask' }] };
  return { before: [], status, after, requeueAfterMs: left };
}

/** Reports whether the results are in the database but the status does not record it. */
export const lacksIngested = ({ metadata, status }: Stored<AnalysisTask>): boolean =>
  isFinished(status?.phase) &&
  metadata.annotations?.[INGESTED_ANNOTATION] !== undefined &&
  !findCondition(status?.conditions, CONDITION.ingested);

/** Milliseconds until a finished task is deleted; undefined when it is kept. */
export function timeLeft(
  { metadata }: Stored<AnalysisTask>,
  status: AnalysisTaskStatus,
  { retentionMs }: { retentionMs: number },
  now: number,
): number | undefined {
  const noLongerNeeded = metadata.annotations?.[INGESTED_ANNOTATION]
    ? findCondition(status.conditions, CONDITION.ingested)?.lastTransitionTime
    : status.phase !== 'Completed' && status.finished;
  return retentionMs === 0 || !noLongerNeeded ? undefined : Date.parse(noLongerNeeded) + retentionMs - now;
}
