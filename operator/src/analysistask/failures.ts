/** Records samples that failed for good, and the end of steps, in a status. */

import type { AnalysisTaskStatus, StepStatus } from '@seqpanel/crds/kinds.ts';
import { formatRanges } from '@seqpanel/crds/step-contract.ts';
import { failedIndexes } from '@seqpanel/crds/task-steps.ts';
import type { Cause } from '../jobs/termination.ts';
import type { FailedSample } from './outcome.ts';

/** The status holds the first so many; the rest are in the task's folder. */
const FAILURES_MAX = 20;

export function recordFailedSamples(
  status: AnalysisTaskStatus,
  step: StepStatus,
  failed: readonly FailedSample[],
  names: readonly string[],
): void {
  if (failed.length === 0) return;
  const known = new Set(failedIndexes(status));
  const fresh = failed.filter(({ sample }) => !known.has(sample));
  status.failedSamples = formatRanges([...known, ...fresh.map(({ sample }) => sample)]);
  status.samples = { ...status.samples, incomplete: known.size + fresh.length };
  step.samples = { ...step.samples, failed: (step.samples?.failed ?? 0) + fresh.length };
  for (const { sample, ...cause } of fresh) recordFailure(status, { sample: names[sample], step: step.name, ...cause });
}

export function recordFailure(
  status: AnalysisTaskStatus,
  failure: Cause & { sample?: string | undefined; step: string },
): void {
  const { sample, ...rest } = failure;
  const list = status.failures ?? [];
  if (list.length < FAILURES_MAX) status.failures = [...list, { ...(sample !== undefined && { sample }), ...rest }];
}

/** Adds samples to those that the step has done. */
export function recordDone(step: StepStatus, finished: ReadonlySet<number>): void {
  step.samples = { ...step.samples, done: finished.size };
  if (finished.size > 0) step.samples.finished = formatRanges([...finished]);
}
