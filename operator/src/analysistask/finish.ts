/** The three ends of a task, and what comes after them. */

import { type AnalysisTaskStatus, INGESTED_ANNOTATION, type Phase } from '@seqpanel/crds/kinds.ts';
import type { Action } from '../jobs/act.ts';
import { findCondition, timestamp } from '../kube/conditions.ts';
import { cleanUp } from './cleanup.ts';
import { CONDITION, REASON, setCondition, setProgressing } from './conditions.ts';
import type { Decision, Input } from './input.ts';
import { isStepEnd, stageState } from './plan.ts';

export interface End {
  phase: Extract<Phase, 'Completed' | 'Failed' | 'Aborted'>;
  reason: string;
  message: string;
}

/** Changes the status to its end. Steps that did not end are left Pending, or Aborted when the task was aborted. */
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
 * A finished task: Jobs that are left, the Ingested condition, and at last its own deletion (DESIGN section 1, Lifetimes):
 * a completed one's time counts from when its results were in the database, that of one without results from its end.
 */
export function afterEnd(input: Input, status: AnalysisTaskStatus): Decision {
  const { task, settings, now } = input;
  const after: Action[] = cleanUp(input, status);
  const ingested = task.metadata.annotations?.[INGESTED_ANNOTATION];
  if (ingested && !findCondition(status.conditions, CONDITION.ingested)) {
    const message = `The results are in the database (fingerprint ${ingested}).`;
    setCondition(task, status, { type: CONDITION.ingested, status: 'True', reason: 'Ingested', message }, now);
  }
  const noLongerNeeded = ingested
    ? findCondition(status.conditions, CONDITION.ingested)?.lastTransitionTime
    : status.phase !== 'Completed' && status.finished;
  if (settings.retentionMs === 0 || !noLongerNeeded) return { before: [], status, after };
  const left = Date.parse(noLongerNeeded) + settings.retentionMs - now;
  if (left <= 0) return { before: [], status, after: [...after, { do: 'deleteTask' }] };
  return { before: [], status, after, requeueAfterMs: left };
}
