/** Ends the open step: succeeded, failed, or without a sample left. */

import { REASON } from '@seqpanel/crds/task-conditions.ts';
import type { StepReason } from '@seqpanel/crds/task-reasons.ts';
import { timestamp } from '../kube/conditions.ts';
import { cleanUp } from './cleanup.ts';
import { finish } from './finish.ts';
import type { Decision } from './input.ts';
import type { OpenStep } from './open-step.ts';
import { recordFailure } from './record-failures.ts';
import { aliveIndexes } from './task-state.ts';

/** Ends a step whose samples are all done or permanently failed. Returns undefined when the next step is due. */
export function endStepOfSamples(open: OpenStep): Decision | undefined {
  const { input, status, step } = open;
  if (aliveIndexes(input.task.spec.samples.length, status).length === 0) {
    const first = status.failures?.[0];
    const message = first ? `${first.sample}: ${first.message}` : 'all samples failed';
    const summary = `All samples have failed after step ${step.name}. ${message}`;
    return failTask(open, REASON.noSampleLeft, message, summary);
  }
  const failed = step.samples?.failed ?? 0;
  succeed(open, 'Succeeded');
  if (failed > 0) {
    step.reason = 'SamplesFailed' satisfies StepReason;
    step.message = `${failed} of ${step.samples?.total ?? failed} samples failed`;
  }
  return undefined;
}

export function endStepOfTask(open: OpenStep, state: 'Succeeded' | 'Skipped', message: string): void {
  succeed(open, state);
  if (message) open.step.message = message;
}

function succeed({ input, step }: OpenStep, state: 'Succeeded' | 'Skipped'): void {
  step.state = state;
  step.finished = timestamp(input.now);
  delete step.reason;
  delete step.message;
}

export function failStep(open: OpenStep, cause: { code: string; message: string }): Decision {
  const { status, step } = open;
  recordFailure(status, { step: step.name, ...cause });
  return failTask(open, REASON.stepFailed, cause.message, `Step ${step.name} failed: ${cause.message}`);
}

/** Fails the step for `message` and the task with `summary`. */
function failTask({ input, status, step }: OpenStep, reason: string, message: string, summary: string): Decision {
  step.state = 'Failed';
  step.finished = timestamp(input.now);
  step.reason = reason;
  step.message = message;
  finish(input, status, { phase: 'Failed', reason, message: summary });
  return { before: [], status, after: cleanUp(input, status) };
}
