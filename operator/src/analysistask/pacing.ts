/** Limits status writes: transitions are written at once, progress at intervals. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { sameJson } from '../kube/same-json.ts';
import type { Decision, Input } from './input.ts';
import { openStep } from './task-state.ts';

/** Increments the revision, or postpones a write that reports only progress. */
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
 * Time between two progress writes, ms: a quarter of the step's run time at the last write, between `least` and six times
 * `least`. Short steps are followed closely; a step of an hour does not cost hundreds of writes.
 */
function pause(least: number, status: AnalysisTaskStatus, lastWrite: number): number {
  const started = openStep(status)?.step.started;
  const ran = started === undefined ? 0 : lastWrite - Date.parse(started);
  return Math.min(6 * least, Math.max(least, ran / 4));
}

/** Returns the status without the sample counts of running steps. */
function withoutProgress(status: AnalysisTaskStatus): AnalysisTaskStatus {
  const copy = structuredClone(status);
  for (const stage of copy.stages ?? [])
    for (const step of stage.steps ?? []) if (step.state === 'Running') delete step.samples;
  return copy;
}
