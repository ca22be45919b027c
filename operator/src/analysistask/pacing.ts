/** When a status is written: transitions at once, progress now and then. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { sameJson } from '../kube/same-json.ts';
import type { Decision, Input } from './input.ts';
import { openStep } from './plan.ts';

/** Counts the write, and holds back one that tells only of progress until its time has come. */
export function paced(
  { now, lastWrite, settings, task }: Input,
  old: AnalysisTaskStatus,
  decision: Decision,
): Decision {
  const { status } = decision;
  if (task.metadata.generation !== undefined) status.observedGeneration = task.metadata.generation;
  if (sameJson(old, status)) return decision;
  const wait = lastWrite === undefined ? 0 : lastWrite + pause(settings.progressMs, old, lastWrite) - now;
  if (wait > 0 && sameJson(withoutProgress(old), withoutProgress(status))) {
    const requeueAfterMs = Math.min(wait, decision.requeueAfterMs ?? wait);
    return { ...decision, status: old, requeueAfterMs };
  }
  return { ...decision, status: { ...status, revision: (old.revision ?? 0) + 1 } };
}

/**
 * From one write of progress to the next, ms: a quarter of what the step had run for by then, at least `least` and at most
 * six times that. A step of seconds is followed closely, one of an hour does not cost hundreds of writes.
 */
function pause(least: number, status: AnalysisTaskStatus, lastWrite: number): number {
  const started = openStep(status)?.step.started;
  const ran = started === undefined ? 0 : lastWrite - Date.parse(started);
  return Math.min(6 * least, Math.max(least, ran / 4));
}

/** What is left of a status when the counts of running steps are taken out. */
function withoutProgress(status: AnalysisTaskStatus): AnalysisTaskStatus {
  const copy = structuredClone(status);
  for (const stage of copy.stages ?? [])
    for (const step of stage.steps ?? []) if (step.state === 'Running') delete step.samples;
  return copy;
}
