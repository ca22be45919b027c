/** Permanent failures that a status write adds, for the metrics. */

import type { AnalysisTaskStatus } from '@seqpanel/crds/kinds.ts';
import { REASON } from '@seqpanel/crds/task-conditions.ts';
import { stepsOf } from '@seqpanel/crds/task-steps.ts';
import { isFinished } from './task-state.ts';

export interface NewFailures {
  /** Steps that ended Failed, which also fails the task. */
  steps: { stage: string; step: string; code: string }[];
  /** Samples that failed; only the first 20 of a task are recorded. */
  samples: { step: string; code: string }[];
  /** Reason of a task that failed before any of its steps. */
  refused?: string;
}

const NO_SAMPLE_LEFT = 'no_sample_left';

export function newFailures(old: AnalysisTaskStatus | undefined, next: AnalysisTaskStatus): NewFailures {
  const fresh = (next.failures ?? []).slice(old?.failures?.length ?? 0);
  const before = new Map(stepsOf(old ?? {}).map(({ step }) => [step.name, step.state]));
  const steps = stepsOf(next)
    .filter(({ step: { name, state } }) => state === 'Failed' && before.get(name) !== 'Failed')
    .map(({ stage, step: { name, reason } }) => ({
      stage,
      step: name,
      code:
        reason === REASON.noSampleLeft
          ? NO_SAMPLE_LEFT
          : (fresh.find((failure) => failure.step === name && failure.sample === undefined)?.code ?? 'unknown'),
    }));
  const samples = fresh
    .filter(({ sample }) => sample !== undefined)
    .map(({ step = '', code = '' }) => ({ step, code }));
  const failed = next.phase === 'Failed' && !isFinished(old?.phase) && steps.length === 0;
  const reason = next.conditions?.find(({ type }) => type === 'Failed')?.reason;
  return { steps, samples, ...(failed && reason && { refused: reason }) };
}
